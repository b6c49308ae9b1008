/** Threads cannot load sources, so the worker is bundled first. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Runs with the path of the worker, which is gone afterwards. */
export async function withWorkerFile(run: (file: string) => Promise<void>): Promise<void> {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const folder = mkdtempSync(join(root, 'node_modules/.bench-'));
  const outfile = join(folder, 'worker.mjs');
  try {
    await build({
      entryPoints: [join(root, 'src/commands/evaluate-task.ts')],
      ...{ outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' },
    });
    await run(outfile);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
