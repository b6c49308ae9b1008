import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createEvaluator } from '../../src/commands/evaluate.ts';
import { tuneEffort } from '../../src/commands/tune-effort.ts';
import { tuneProgress } from '../../src/commands/tune-progress.ts';
import { smallRush } from '../tune/support.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(ROOT, 'node_modules/.evaluate-'));
const worker = join(folder, 'worker.mjs');

beforeAll(async () => {
  await build({
    entryPoints: [join(ROOT, 'src/commands/evaluate-task.ts')],
    ...{ outfile: worker, bundle: true, platform: 'node', format: 'esm', packages: 'external' },
  });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('an evaluator', () => {
  it.each([
    [1, 40],
    [40, 1],
    [3, 70],
  ])(
    'of %d scenarios, %d times each, plays the same in parts and in threads',
    async (n, replications) => {
      const scenarios = Array.from({ length: n }, (_, i) => smallRush({ seed: i + 1 }));
      const evaluation = { scenarios, replications, figures: 'requests' } as const;
      const playedWith = async (workers: number) => {
        let counted = 0;
        const played = (runs: number) => {
          counted += runs;
        };
        const options = { worthAThread: 2, played };
        const { evaluate, close } = createEvaluator(workers, worker, options);
        const runs = await evaluate(evaluation);
        await close();
        expect(counted).toBe(n * replications);
        return runs;
      };
      const alone = await playedWith(1);
      expect(alone.map(({ length }) => length)).toEqual(scenarios.map(() => replications));
      expect(await playedWith(2)).toEqual(alone);
    },
    60_000,
  );
});

describe('a tuning that takes long', () => {
  it('says what it does every few seconds, unless it is to be quiet', () => {
    vi.useFakeTimers();
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const [loud, quiet] = [tuneProgress({}), tuneProgress({ quiet: true })];
      loud.doing('looking for the best gate.maxWaitS');
      loud.played(120);
      vi.advanceTimersByTime(3000);
      expect(write).not.toHaveBeenCalled();
      vi.advanceTimersByTime(6000);
      const told = write.mock.calls.map(([text]) => String(text));
      expect(told).toHaveLength(2);
      expect(told[0]).toBe('tune: 4 s, 120 runs played: looking for the best gate.maxWaitS\n');
      for (const one of [loud, quiet]) one.stop();
      vi.advanceTimersByTime(60_000);
      expect(write).toHaveBeenCalledTimes(2);
    } finally {
      write.mockRestore();
      vi.useRealTimers();
    }
  });

  it('is played less often where a run is long, and says how often', () => {
    const long = smallRush({ durationS: 600 });
    expect(tuneEffort([smallRush()], undefined)).toMatchObject({ replications: 100, notes: [] });
    const { replications, worthAThread, notes } = tuneEffort([long], undefined);
    expect(replications).toBeLessThan(80);
    expect(worthAThread).toBeLessThan(200);
    expect(notes).toEqual([
      expect.stringMatching(/^\d+ runs of each setting: one has \d+ arrivals/),
    ]);
    expect(tuneEffort([long], 100)).toMatchObject({ replications: 100, notes: [] });
  });
});
