import { describe, expect, it } from 'vitest';
import { renderSweepPage } from '../../src/report/sweep-page.ts';
import { renderTunePage } from '../../src/report/tune-page.ts';
import { parseScenario } from '../../src/scenario/schema.ts';
import { cutOffNotes } from '../../src/tune/cut-off.ts';
import { sweep } from '../../src/tune/sweep.ts';
import { sweepTable } from '../../src/tune/sweep-table.ts';
import { tuneText } from '../../src/tune/tune-text.ts';
import { evaluate, GOODPUT, tuned } from './support.ts';

/** Preempted a million times a second: without a bound on the preempts it never ends. */
const endless = parseScenario({
  ...{ name: 'endless', durationS: 60, drainS: 60 },
  arrivals: { process: 'at', atS: [0, 10, 20] },
  classes: { a: { replay: true } },
  gate: { slots: 2, maxPreempts: 2, taskBudgetTokens: null, queueAgeFraction: null },
  model: { service: { fixed: 600 }, preempts: { type: 'rate', perS: 1e6 } },
});
const WHY = 'preempts took slots back without end';

describe('simulations that would not end', () => {
  it('are named in the table and on the page of a sweep, each in one line with the reason', async () => {
    const axes = [{ path: 'gate.maxPreempts', values: [2, null] }];
    const origin = { engine: 'sim', target: 'none', simulated: true } as const;
    const common = { scenario: endless, digest: 'a', origin, replications: 2, evaluate };
    const document = await sweep({ ...common, axes });
    expect(document.notes).toEqual([
      expect.stringMatching(`^cut off, .*: maxPreempts off: ${WHY} .*gate\\.maxPreempts bounds`),
    ]);
    expect(sweepTable(document)).toContain(WHY);
    expect(await renderSweepPage(document)).toContain(`maxPreempts off: ${WHY}`);
    const ended = await sweep({ ...common, axes: [{ path: 'gate.maxPreempts', values: [1, 2] }] });
    expect(ended.notes).toEqual([]);
  });

  it('are named in the text and on the page of a tune', async () => {
    const gate = { ...endless.gate, maxPreempts: null };
    const axes = [{ path: 'gate.maxWaitS', values: [2, 4] }];
    const document = await tuned(
      { ...endless, gate },
      { axes, objective: GOODPUT, replications: 2 },
    );
    const [note] = document.notes;
    expect(note).toMatch(/^cut off, .*: maxWaitS 2; maxWaitS 4; the present setting; no gate/);
    expect(tuneText(document)).toContain(WHY);
    expect(await renderTunePage(document)).toContain(WHY);
  });

  it('are counted where only some runs of a setting were cut off, and told by reason', () => {
    const cut = { 'cutOff.retries': 1 };
    const cells = [
      { name: 'slots 1', runs: [cut, {}, cut] },
      { name: 'slots 2', runs: [{ 'cutOff.preempts': 1 }] },
      { name: 'slots 3', runs: [{}] },
    ];
    expect(cutOffNotes(cells)).toEqual([
      expect.stringMatching(/: slots 2: preempts/),
      expect.stringMatching(/: slots 1 \(2 of 3 runs\): requests were tried again without end$/),
    ]);
  });

  it('of many settings are counted beyond those that fit into a line', () => {
    const runs = [{ 'cutOff.retries': 1 }];
    const cells = Array.from({ length: 11 }, (_, i) => ({ name: `slots ${i + 1}`, runs }));
    expect(cutOffNotes(cells)[0]).toContain('slots 8; and 3 more: requests');
  });
});
