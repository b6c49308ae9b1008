import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readK6Output } from '../../../src/engine/k6/output.ts';
import { testStub } from '../../stubs/support.ts';
import { shippedScenario } from '../../support/simulated.ts';
import { made } from './fixtures.ts';

const hasK6 = spawnSync('k6', ['version']).status === 0;

describe(hasK6 ? 'k6 itself' : 'k6 itself (no k6 on the PATH: the stand-in stands in)', () => {
  it.skipIf(!hasK6)('plays the scenario `smoke`, each arrival once', async () => {
    const scenario = await shippedScenario('smoke');
    const stub = await testStub(scenario.model);
    const folder = mkdtempSync(join(tmpdir(), 'loadline-real-k6-'));
    try {
      const { bundle, schedule } = await made(scenario, { endpoint: stub.url });
      writeFileSync(join(folder, 'smoke.k6.js'), bundle.script);
      await ended(folder);
      const output = await readK6Output([join(folder, 'out.json.gz')]);
      expect([...output.facts.keys()].sort((a, b) => a - b)).toEqual(
        schedule.arrivals.map(({ seq }) => seq),
      );
      for (const { seq, atUs } of schedule.arrivals) {
        expect(output.facts.get(seq)?.sentUs).toBeGreaterThanOrEqual(atUs);
      }
    } finally {
      await stub.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.skipIf(hasK6)('is not here, and is not needed by the other tests', () => {
    expect(spawnSync('k6', ['version']).error).toBeDefined();
  });
});

/** Any exit code but k6's for a script that does not run: a threshold may be crossed. */
function ended(folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const k6 = spawn('k6', ['run', '--quiet', '--out', 'json=out.json.gz', 'smoke.k6.js'], {
      cwd: folder,
      stdio: 'ignore',
    });
    k6.once('error', reject);
    k6.once('exit', (code) => {
      if (code === 0 || code === 99) resolve();
      else reject(new Error(`k6 ended with ${code}`));
    });
  });
}
