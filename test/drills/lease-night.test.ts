import { describe, expect, it } from 'vitest';
import { meanFigures } from '../../src/drills/means.ts';
import { shippedScenario } from '../support/simulated.ts';

/** Means of 40 runs: the share of batch that misses, and sessions that were refused or cut off. */
async function night(...sets: readonly string[]) {
  const of = meanFigures(await shippedScenario('lease-night', ...sets), 40);
  return {
    misses: of('byClass.batch.rates.breach'),
    offered: of('byClass.debug.outcomes.offered'),
    refused: of('byClass.debug.outcomes.rejected'),
    cut: of('byClass.debug.outcomes.killed'),
    byRule: of('rejectedBy.deadline_slack'),
  };
}

describe('lease-night', { timeout: 60_000 }, () => {
  it('is decided by the deadline-slack rule, which refuses the fewest sessions', async () => {
    const off = await night('gate.slackRejectS=null');
    const on = await night();
    const wide = await night('gate.slackRejectS=180');
    const capped = await night('gate.slackRejectS=null', 'gate.interactiveCap=3');
    const limited = await night('gate.slackRejectS=null', 'gate.maxHoldS=120');
    const table = [off, on, wide, capped, limited].map(({ misses, refused, cut }) => [
      Math.round(100 * misses),
      Math.round(refused),
      Math.round(cut),
    ]);
    expect(table).toEqual([
      [20, 0, 0],
      [6, 12, 0],
      [3, 13, 0],
      [0, 40, 0],
      [0, 0, 60],
    ]);
  });

  it('is not decided by it where sessions may not queue', async () => {
    const off = await night('classes.debug.mayQueue=false', 'gate.slackRejectS=null');
    const on = await night('classes.debug.mayQueue=false');
    expect(on).toEqual(off);
    expect(on.byRule).toBe(0);
    expect(Math.round(on.refused)).toBe(45);
  });
});
