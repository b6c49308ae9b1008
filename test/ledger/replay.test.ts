import { expect, it } from 'vitest';
import type { Input } from '../../src/admission/types.ts';
import { replayGate } from '../../src/ledger/replay.ts';
import { arrive, done, headerOf, record, S } from './gate-of-a-run.ts';

const header = headerOf({ maxWaitUs: 3 * S });
const inputs: [number, Input][] = [
  [0, arrive(0)],
  [1 * S, arrive(1)],
  [1.5 * S, arrive(2)],
  [2 * S, done(0)],
  [6 * S, done(1)],
];

it('says every effect of a recorded gate again', async () => {
  const lines = record(header, inputs);
  const replayed = await replayGate(header, JSON.parse(JSON.stringify(lines)));
  expect(replayed).toEqual({ inputs: 5, effects: 5, difference: null });
});

it('names the line of the first effect that differs', async () => {
  const lines = record(header, inputs).map(({ number, line }) => ({
    number,
    line:
      'out' in line && line.out.type === 'expired'
        ? { ...line, out: { ...line.out, waitUs: 1 } }
        : line,
  }));
  const { difference } = await replayGate(header, lines);
  const changed = lines.find(({ line }) => 'out' in line && line.out.type === 'expired');
  expect(difference?.line).toBe(changed?.number);
  expect(difference?.replayed).toMatchObject({ type: 'expired', waitUs: 3 * S });
});

it('notices an effect that was left out, one too many, and another policy', async () => {
  const lines = record(header, inputs);
  const without = lines.filter(({ line }) => !('out' in line && line.out.type === 'queued'));
  expect((await replayGate(header, without)).difference).toMatchObject({ recorded: null });
  const twice = lines.flatMap((line) => ('out' in line.line ? [line, line] : [line]));
  expect((await replayGate(header, twice)).difference).toMatchObject({ replayed: null });
  const other = headerOf({ maxWaitUs: 2 * S });
  expect((await replayGate(other, lines)).difference).not.toBeNull();
});

it('does not miss the effects of a last input whose file was cut off', async () => {
  const lines = record(header, inputs).slice(0, -1);
  expect((await replayGate(header, lines)).difference).toBeNull();
});
