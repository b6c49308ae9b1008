import { expect, it } from 'vitest';
import { Attempt } from '../../../src/engine/live/attempt.ts';
import type { Wire } from '../../../src/engine/live/wire.ts';
import type { WireFact } from '../../../src/ledger/lines.ts';

type Handlers = Parameters<Wire['send']>[1];

const delta = (fields: Record<string, unknown>) =>
  Buffer.from(`data: ${JSON.stringify({ choices: [{ delta: fields }] })}\n\n`);

/** A wire on which the test plays the server. */
function played(headers: Record<string, string> = {}) {
  let handlers: Handlers | undefined;
  const wire: Wire = {
    send(_, given) {
      handlers = given;
      return { abort: () => {}, pause: () => {}, resume: () => {} };
    },
    close: async () => {},
  };
  const said: WireFact[] = [];
  const request = { method: 'POST', path: '/', headers, body: null } as const;
  const options = { seq: 0, attempt: 0, request, gated: false, holds: false };
  const events = { wire: (fact: WireFact) => void said.push(fact), answered() {}, ended() {} };
  new Attempt(wire, options, events).send();
  return { handlers: () => handlers, said };
}

it('keeps the key out of its record, also where the server repeats it', () => {
  const { handlers, said } = played({ authorization: 'Bearer sk-secret' });
  handlers()?.onHead(401, { 'content-type': 'application/json' });
  handlers()?.onChunk(Buffer.from('{"error":{"message":"Incorrect API key: sk-secret."}}'));
  handlers()?.onEnd();
  expect(said.at(-1)?.text).toContain('Incorrect API key: ….');
  expect(JSON.stringify(said)).not.toContain('sk-secret');
});

it('hears the first token where text is generated, on whatever channel: no role, no comment', () => {
  const { handlers: of, said: facts } = played();
  const handlers = of();
  const said = () => facts.map(({ event }) => event);
  handlers?.onHead(200, { 'content-type': 'text/event-stream' });
  handlers?.onChunk(delta({ role: 'assistant', content: '' }));
  handlers?.onChunk(Buffer.from(': PROCESSING\n\n'));
  expect(said()).toEqual(['firstByte']);
  handlers?.onChunk(delta({ reasoning_content: 'hm' }));
  expect(said()).toEqual(['firstByte', 'firstToken']);
  handlers?.onChunk(delta({ content: 'yes' }));
  handlers?.onChunk(delta({ content: 'no' }));
  expect(said()).toEqual(['firstByte', 'firstToken', 'firstContent']);
});
