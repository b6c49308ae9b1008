/** What is passed on without a decision: it takes no slot and leaves no line in the ledger. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GateContext } from './context.ts';
import { requestFields, responseFields, textFields } from './headers.ts';
import { sendFailure } from './refusal.ts';
import { Reply } from './reply.ts';
import type { Sending } from './upstream.ts';

const ANSWER_WITHIN_MS = 30_000;

/** Passes one request of no cost on to the upstream. Its body, if any, is dropped. */
export function passThrough(
  gate: GateContext,
  request: IncomingMessage,
  response: ServerResponse,
  waits: boolean,
): void {
  if (waits) response.writeContinue();
  request.resume();
  let sending: Sending | undefined;
  const reply = new Reply(response, () => sending?.resume());
  const timer = setTimeout(() => {
    sending?.abort();
    fail(504, 'timeout', 'no answer from the upstream in time');
  }, ANSWER_WITHIN_MS);
  const fail = (status: 502 | 504, code: string, message: string) => {
    clearTimeout(timer);
    if (reply.committed) reply.fail(code, message);
    else if (!response.destroyed) sendFailure(response, status, code, message, []);
  };
  response.once('close', () => {
    clearTimeout(timer);
    sending?.abort();
  });
  sending = gate.upstream.send(
    {
      method: request.method ?? 'GET',
      path: gate.upstreamPath(request.url ?? '/'),
      headers: requestFields(request.rawHeaders, gate.settings.upstreamIsStub).filter(noLength),
      body: undefined,
    },
    {
      onSending() {},
      onHead(status, raw, text) {
        clearTimeout(timer);
        reply.head(status, text, responseFields(textFields(raw)), false);
      },
      onChunk: (chunk) => reply.write(chunk),
      onEnd: () => reply.end(),
      onFail: (failure) => fail(502, `upstream_${failure.kind}`, failure.message),
    },
  );
}

function noLength(_: string, index: number, fields: readonly string[]): boolean {
  return fields[index - (index % 2)]?.toLowerCase() !== 'content-length';
}
