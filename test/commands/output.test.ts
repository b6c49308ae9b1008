import { afterEach, expect, it, vi } from 'vitest';
import { note, print } from '../../src/commands/output.ts';

afterEach(() => vi.restoreAllMocks());

it('commands no terminal, whatever a file or an endpoint wrote into a result', async () => {
  const said: string[] = [];
  const take = (text: string | Uint8Array, done?: unknown) => {
    said.push(String(text));
    if (typeof done === 'function') done();
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(take);
  vi.spyOn(process.stderr, 'write').mockImplementation(take);
  await print('12 times: \u001b[2Jgone\n');
  note('endpoint\u0007', {});
  expect(said).toEqual(['12 times: \\u001b[2Jgone\n', 'endpoint\\u0007\n']);
});
