import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { call, chunkEvent, eventsOf, gateOf, metric, until, upstreamOf } from './support.ts';

const END = 'data: [DONE]\n\n';
const frame = (output: number, checkpoint: number) =>
  `data: ${JSON.stringify({ error: { message: 'gone', code: 'preempted', prompt_tokens: 5, output_tokens: output, checkpoint_tokens: checkpoint } })}\n\n`;

function stream(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(text);
}

const replayed = (resume: boolean) => ({
  classes: { task: { share: 1, replay: true } },
  model: { service: { fixed: 1 }, checkpointTokens: 4, resume },
});

describe('work that the upstream takes back', () => {
  it('goes on from the checkpoint, and its caller sees each token once', async () => {
    const upstream = await upstreamOf((incoming, response) => {
      const resume = Number(incoming.headers['x-loadline-resume-tokens'] ?? -1);
      if (resume === -1) {
        stream(response, eventsOf(10));
        response.end(frame(10, 8));
      } else {
        stream(response, eventsOf(12 - resume, resume));
        response.end(END);
      }
    });
    const gateway = await gateOf(
      upstream.url,
      { slots: 1 },
      { upstreamIsStub: true, rest: replayed(true) },
    );
    const answer = await call(gateway.port);
    expect(upstream.seen[1]?.headers['x-loadline-resume-tokens']).toBe('8');
    expect(answer.body).toBe(eventsOf(12) + END);
    expect(await metric(gateway.port, 'loadline_preempts_total')).toBe(1);
    expect(await metric(gateway.port, 'loadline_leases')).toBe(0);
  });

  // With 3 and 7 the frame stands where the token of the next checkpoint would.
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9])(
    'keeps the frame of a preempt after %i tokens from the caller',
    async (made) => {
      const kept = made - (made % 4);
      const upstream = await upstreamOf((incoming, response) => {
        const resume = Number(incoming.headers['x-loadline-resume-tokens'] ?? -1);
        if (resume === -1) {
          stream(response, eventsOf(made));
          response.end(frame(made, kept));
        } else {
          stream(response, eventsOf(12 - resume, resume));
          response.end(END);
        }
      });
      const options = { upstreamIsStub: true, rest: replayed(true) };
      const gateway = await gateOf(upstream.url, { slots: 1 }, options);
      expect((await call(gateway.port)).body).toBe(eventsOf(12) + END);
    },
  );

  it('starts over where there is nothing to resume from, and nothing is seen twice', async () => {
    const upstream = await upstreamOf((_, response) => {
      stream(response, eventsOf(7));
      response.end(upstream.seen.length === 1 ? frame(7, 4) : END);
    });
    const gateway = await gateOf(upstream.url, { slots: 1 }, { rest: replayed(false) });
    const answer = await call(gateway.port, { body: '{"again":true}' });
    expect(upstream.seen).toHaveLength(2);
    expect(answer.body).toBe(eventsOf(7) + END);
  });

  it('takes a reset of our stub for a preempt, and a reset of anybody else for a failure', async () => {
    for (const upstreamIsStub of [true, false]) {
      const upstream = await upstreamOf((incoming, response) => {
        if (upstream.seen.length === 1) {
          stream(response, eventsOf(3));
          setTimeout(() => incoming.socket.resetAndDestroy(), 10);
        } else {
          stream(response, eventsOf(5) + END);
          response.end();
        }
      });
      const gateway = await gateOf(
        upstream.url,
        { slots: 1 },
        { upstreamIsStub, rest: replayed(false) },
      );
      const answer = await call(gateway.port);
      if (upstreamIsStub) expect(answer.body).toBe(eventsOf(5) + END);
      else expect(answer.status).toBe(502);
    }
  });

  it('fails with its reason in the stream where its restart is not worth it', async () => {
    const upstream = await upstreamOf((_, response) => {
      stream(response, eventsOf(6));
      response.end(frame(6, 4));
    });
    const gateway = await gateOf(
      upstream.url,
      { slots: 1, taskBudgetTokens: 20, restartFraction: 0.2 },
      { upstreamIsStub: true, rest: replayed(true) },
    );
    const answer = await call(gateway.port);
    expect(answer.body.startsWith(eventsOf(4))).toBe(true);
    expect(answer.body).toContain('"code":"restart_tokens"');
    expect(answer.body).not.toContain('[DONE]');
    expect(upstream.seen).toHaveLength(1);
  });

  it('is told once, by the upstream itself, where the class is not replayed', async () => {
    const upstream = await upstreamOf((_, response) => {
      stream(response, chunkEvent('a'));
      response.end(frame(1, 0));
    });
    const gateway = await gateOf(upstream.url, { slots: 1 });
    const answer = await call(gateway.port);
    expect(answer.body).toBe(chunkEvent('a') + frame(1, 0));
    expect(await metric(gateway.port, 'loadline_leases')).toBe(0);
  });

  it('replays an answer that is no stream, from a 503 that says preempted', async () => {
    const error =
      '{"error":{"message":"gone","code":"preempted","prompt_tokens":5,"output_tokens":2}}';
    const upstream = await upstreamOf((_, response) => {
      if (upstream.seen.length === 1) {
        response.writeHead(503, { 'content-type': 'application/json' }).end(error);
      } else response.end('{"choices":[]}');
    });
    const gateway = await gateOf(upstream.url, { slots: 1 }, { rest: replayed(false) });
    expect(await call(gateway.port)).toMatchObject({ status: 200, body: '{"choices":[]}' });
  });

  it('is answered with a 503 to be tried again where the host dies before the first byte (E7)', async () => {
    const upstream = await upstreamOf(() => {});
    const gateway = await gateOf(upstream.url, { slots: 1 }, { upstreamIsStub: true });
    const waiting = call(gateway.port);
    await until(() => upstream.seen.length === 1, 'it is upstream');
    upstream.server.closeAllConnections();
    const answer = await waiting;
    expect([502, 503]).toContain(answer.status);
    expect(gateway.gate.machine.admission.view.leased).toBe(0);
  });
});
