/** The live drill of runbook 001, whole: frozen, killed, rolled back, disk full, wire cut. About 40 s. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { preemptDrill } from '../../src/drills/preempt.ts';

it('sees what it must at every step', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loadline-preempt-'));
  try {
    const { steps } = await preemptDrill.run({
      ...{ as: undefined, mode: undefined, live: true, timeScale: undefined, seed: undefined },
      ...{ out: join(folder, 'run'), force: false, say: () => {} },
    });
    expect(steps.filter(({ ok }) => !ok)).toEqual([]);
    expect(steps.length).toBeGreaterThanOrEqual(18);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
