import { expect, it } from 'vitest';
import { GateRows } from '../../src/ledger/gate-rows.ts';
import type { RowSink, StateRow } from '../../src/ledger/rows.ts';
import { arrive, done, headerOf, record, S } from './gate-of-a-run.ts';

it('says each of several states that the gate noticed in one step at its own instant', () => {
  const header = headerOf({ maxWaitUs: 2 * S });
  const states: StateRow[] = [];
  const nothing = () => {};
  const sink: RowSink = {
    request: nothing,
    busy: nothing,
    decision: nothing,
    preempt: nothing,
    state: (row) => void states.push(row),
  };
  const rows = new GateRows(header, 0, sink, () => null);
  const lines = record(header, [
    [0, arrive(0)],
    [1 * S, arrive(1)],
    [2 * S, arrive(2)],
    [9 * S, done(0)],
  ]);
  for (const { line } of lines) rows.take(line);
  expect(states.map(({ atUs, queued }) => [atUs / S, queued])).toEqual([
    [0, 0],
    [1, 1],
    [2, 2],
    [3, 1],
    [4, 0],
    [9, 0],
  ]);
});
