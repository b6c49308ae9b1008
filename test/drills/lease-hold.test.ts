import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { DrillOptions } from '../../src/drills/drill.ts';
import { drillText } from '../../src/drills/drill-text.ts';
import { leaseHoldDrill } from '../../src/drills/lease-hold.ts';
import { renderPage } from '../../src/report/page.ts';

const GOLDEN = '../shared/golden';
const golden = existsSync(GOLDEN);
if (!golden) console.log(`skipped: what the published script prints is not at ${GOLDEN}`);

function drill(options: Partial<DrillOptions>) {
  return leaseHoldDrill.run({
    ...{ as: undefined, mode: undefined, live: false, timeScale: undefined, seed: undefined },
    ...{ out: undefined, force: false, say: () => {} },
    ...options,
  });
}

describe('drill lease-hold', () => {
  it.runIf(golden).each(['reject', 'admit'])(
    'as published prints its log in mode %s',
    async (mode) => {
      const { json } = await drill({ as: 'published', mode });
      expect(json).toEqual(
        JSON.parse(readFileSync(`${GOLDEN}/runbook-000-published-${mode}.json`, 'utf8')),
      );
    },
  );

  it('as corrected dequeues five jobs and is done at 155 s', async () => {
    const report = await drill({ as: 'corrected' });
    expect(report.lines[0]).toBe('reject dequeued 5 max_age 90.0 rejects 0');
    expect(report.json).toMatchObject({
      dequeueAgesS: [20, 40, 58, 75, 90],
      doneS: 155,
      rejects: 0,
    });
    const admit = await drill({ as: 'corrected', mode: 'admit' });
    expect(admit.lines[0]).toBe('admit dequeued 5 max_age 90.0 rejects 1');
  });

  it('as crossing refuses by rule from the probe of t = 371 on, and is done at 476 s', async () => {
    const { json, steps } = await drill({ as: 'crossing' });
    expect(json).toMatchObject({
      firstByRuleS: 371,
      dequeueAgesS: [395, 391, 410, 404, 420, 411],
      doneS: 476,
      rejects: 10,
    });
    expect(steps.map(({ ok }) => ok)).toEqual([true, true, true]);
  });

  it('as crossing without the rule refuses nobody', async () => {
    const { json } = await drill({ as: 'crossing', mode: 'admit' });
    expect(json).toMatchObject({ firstByRuleS: null, rejects: 0 });
  });

  it('heads its page with the action: do not scale, which leases, what to do', async () => {
    const { run } = await drill({ as: 'crossing' });
    const [first, second] = run?.result.verdicts ?? [];
    expect(first).toMatchObject({
      action: 'do-not-scale',
      headline: 'DO NOT SCALE. END SESSIONS dbg-1, dbg-2. [simulated, t = 400 s]',
      value: 0.05,
      expect: '6 of 6 batch jobs in time (end only one: 4 of 6; wait 40 s: the first miss)',
    });
    expect(first?.evidence).toContain('oldest batch 395 s of 480 | slack 60 s');
    expect(first?.commands[1]).toMatch(/^curl .*DELETE .*\/admin\/leases\/dbg-1"$/);
    expect(second?.action).toBe('reject-interactive');
    // No verdict takes back what it did not order, and each undo can be pasted alone.
    expect(first?.undo).toMatch(/^GATEWAY=.*\ncurl /);
    expect(second).toMatchObject({ commands: [], undo: '' });
    const page = await renderPage(run === undefined ? [] : [run.result]);
    expect(page).toContain('has not been worked out for this run: ask <code>loadline tune');
  });

  it('sets claims beside measurements, and says who should leave it', async () => {
    const text = drillText(await drill({ as: 'published' }));
    expect(text).toMatch(/does not hold: the script prints "dequeued 2 max_age 165.0 rejects 0"/);
    expect(text).toMatch(/who should not use this\n {2}- /);
  });

  it('says first what to do, save under the script, whose own line stays first', async () => {
    const crossing = drillText(await drill({ as: 'crossing' }));
    expect(crossing).toMatch(/^DO NOT SCALE\. END SESSIONS dbg-1, dbg-2\..*\n/);
    expect(crossing).toContain('\nreject dequeued 6 max_age 420.0 rejects 10 [simulated]\n');
    const script = drillText(await drill({ as: 'published' }));
    expect(script).toMatch(/^reject dequeued 2 max_age 165\.0 rejects 0\n/);
    expect(script).toMatch(/\nDo not take this script for the rule: .*\nOf 7 claims .*\n$/);
  });

  it('plays only the crossing live', async () => {
    await expect(drill({ as: 'corrected', live: true })).rejects.toThrow(
      /--live: expected --as crossing/,
    );
  });
});
