import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { createEvaluator } from '../../src/commands/evaluate.ts';
import { splitSets } from '../../src/commands/sweep.ts';
import { renderSweepPage } from '../../src/report/sweep-page.ts';
import { stableJson } from '../../src/result/json.ts';
import { sweep } from '../../src/tune/sweep.ts';
import { sweepTable } from '../../src/tune/sweep-table.ts';
import { evaluate, smallRush } from './support.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(ROOT, 'node_modules/.tune-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const common = {
  scenario: smallRush(),
  digest: 'a',
  origin: { engine: 'sim', target: 'none', simulated: true },
} as const;
const axes = [{ path: 'gate.maxWaitS', values: [2, 6, null] }];

describe('a sweep', () => {
  it('offers every setting the same arrivals', async () => {
    const { settings } = await sweep({ ...common, axes, replications: 5, evaluate });
    const offered = settings.map(({ figures }) => figures.outcomes.offered);
    expect(offered[1]).toEqual(offered[0]);
    expect(offered[2]).toEqual(offered[0]);
    expect(settings[2]?.figures.outcomes.expired).toMatchObject({ mean: 0 });
    expect(settings[1]?.difference.rejection?.hi).toBeLessThan(0);
  });

  it('takes slots as an axis like any other', async () => {
    const grid = [{ path: 'gate.slots', values: [4, 8] }, ...axes];
    const { settings } = await sweep({ ...common, axes: grid, replications: 3, evaluate });
    expect(settings).toHaveLength(6);
    expect(settings[3]?.setting).toEqual({ 'gate.slots': 8, 'gate.maxWaitS': 2 });
    expect(settings[3]?.difference.goodput?.lo).toBeGreaterThan(0.1);
  });

  it('gives the same bytes whatever the number of workers', async () => {
    const outfile = join(folder, 'worker.mjs');
    await build({
      entryPoints: [join(ROOT, 'src/commands/evaluate-task.ts')],
      ...{ outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' },
    });
    const textWith = async (workers: number) => {
      const evaluator = createEvaluator(workers, outfile);
      const request = { ...common, axes, replications: 70, evaluate: evaluator.evaluate };
      const text = stableJson(await sweep(request));
      await evaluator.close();
      return text;
    };
    const alone = await textWith(1);
    expect(await textWith(3)).toBe(alone);
    expect(alone).not.toMatch(/20\d\d-\d\d-\d\d/);
  }, 60_000);

  it('is printed as a table and as a page that names the rule', async () => {
    const document = await sweep({ ...common, axes, replications: 3, evaluate });
    expect(sweepTable(document)).toContain('maxWaitS');
    expect(sweepTable(document)).toMatch(/^off /m);
    const page = await renderSweepPage(document);
    expect(page).toContain('SIMULATED');
    expect(page).toContain('maxWaitS (s)');
    const heads = [...page.matchAll(/<thead>.*?<\/thead>/gs)].map(
      ([head]) => head.split('<th ').length - 1,
    );
    // What a window of 700 pixels shows whole.
    expect(heads).toEqual([5, 6]);
  });
});

describe('the sets of a sweep', () => {
  it('are axes where they have several values', () => {
    const { axes: found, fixed } = splitSets(['gate.slots=8', 'gate.maxWaitS=1..3/1']);
    expect(found).toEqual([{ path: 'gate.maxWaitS', values: [1, 2, 3] }]);
    expect(fixed).toEqual(['gate.slots=8']);
  });
});
