import { expect, it } from 'vitest';
import { Attempt } from '../../../src/engine/live/attempt.ts';
import type { Wire } from '../../../src/engine/live/wire.ts';

type Handlers = Parameters<Wire['send']>[1];

const delta = (fields: Record<string, unknown>) =>
  Buffer.from(`data: ${JSON.stringify({ choices: [{ delta: fields }] })}\n\n`);

it('hears the first token where text is generated, on whatever channel: no role, no comment', () => {
  let handlers: Handlers | undefined;
  const wire: Wire = {
    send(_, given) {
      handlers = given;
      return { abort: () => {}, pause: () => {}, resume: () => {} };
    },
    close: async () => {},
  };
  const said: string[] = [];
  const request = { method: 'POST', path: '/', headers: {}, body: null } as const;
  const options = { seq: 0, attempt: 0, request, gated: false, holds: false };
  new Attempt(wire, options, {
    wire: ({ event }) => void said.push(event),
    answered: () => {},
    ended: () => {},
  }).send();
  handlers?.onHead(200, { 'content-type': 'text/event-stream' });
  handlers?.onChunk(delta({ role: 'assistant', content: '' }));
  handlers?.onChunk(Buffer.from(': PROCESSING\n\n'));
  expect(said).toEqual(['firstByte']);
  handlers?.onChunk(delta({ reasoning_content: 'hm' }));
  expect(said).toEqual(['firstByte', 'firstToken']);
  handlers?.onChunk(delta({ content: 'yes' }));
  handlers?.onChunk(delta({ content: 'no' }));
  expect(said).toEqual(['firstByte', 'firstToken', 'firstContent']);
});
