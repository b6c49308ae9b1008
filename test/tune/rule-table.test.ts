/** The table of the rules: each number with whose it is, and of how many runs. */
import { describe, expect, it } from 'vitest';
import { renderTunePage } from '../../src/report/tune-page.ts';
import { tuneText } from '../../src/tune/tune-text.ts';
import { smallRush, tuned } from './support.ts';

const PATIENCE_MS = 120_000;

describe('the table of the rules', { timeout: PATIENCE_MS }, () => {
  it('has one figure for the present setting, that of more runs, and says of how many each is', async () => {
    const present = smallRush({ durationS: 30, gate: { slots: 4, maxWaitS: 6 } });
    const axes = [{ path: 'gate.ageRejectS', values: [1, 2] }];
    const document = await tuned(present, { axes, replications: 51 });
    const rule = (name: string) => document.baselines.find((one) => one.name === name);
    const same = rule('wait limit');
    if (same?.setting['gate.maxWaitS'] === 6) {
      expect(same.byScenario).toEqual(rule('present')?.byScenario);
      expect(same.runsIn).toEqual([51]);
    }
    expect(rule('depth cap')?.runsIn).toEqual([50]);
    const printed = tuneText(document);
    expect(printed).toContain('shares in %, mean and 95 % interval of so many runs');
    expect(printed).toMatch(/^present .* 51$/m);
    expect(printed).toMatch(/^depth cap: .* 50$/m);
    const page = await renderTunePage(document);
    expect(page).toContain('51 runs of each setting of what is tuned');
    expect(page).toContain('50 of the other rules, in each changed world');
  });

  it('tells of each scenario what is allowed in it, its own gain and the slots that it needs', async () => {
    const good = smallRush({ name: 'good', gate: { slots: 4, maxWaitS: 6 } });
    const lax = smallRush({ name: 'lax', gate: { slots: 3, ageRejectS: 30 } });
    const axes = [{ path: 'gate.maxWaitS', values: [5, 6, 7] }];
    const document = await tuned(good, {
      ...{ scenarios: [good, lax], digests: ['a', 'b'], axes, replications: 6 },
    });
    const [present] = document.baselines;
    expect(present?.allowedIn).toEqual([true, false]);
    expect(present?.gainIn.map((gain) => gain?.mean)).not.toContain(undefined);
    expect(present?.gainIn[1]).toEqual(present?.gain);
    expect(present?.gainIn[0]).not.toEqual(present?.gain);
    const page = await renderTunePage(document);
    expect(page).toContain('present (good)');
    expect(page).toContain('present (lax, not allowed)');
    const { headline, lines } = document.recommendation;
    expect(headline).toMatch(/ADD SLOTS: 3 -> \d+.* IN lax\. .*ADD SLOTS: 4 -> \d+.* IN good\./);
    const told = (name: string) => lines.find((one) => one.name === name)?.text;
    expect(told('BUY')).toMatch(/^lax: \d+ slots .*; good: \d+ slots /);
    expect(told('DO')).toMatch(
      /^scale to \d+ slots.* in lax, scale to \d+ slots.* in good, and with/,
    );
    expect(told('GATES')).toMatch(/slots to buy \(lax\), \d+ \/ n slots to buy \(good\)/);
    expect(page).toContain('good: Served within the SLO against slots');
  });
});
