// Builds dist/: one flat folder of bundles, so that `import.meta.url` has the same depth in every one
// of them, and the declarations of the library entry.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ENTRIES = {
  cli: 'src/cli.ts',
  index: 'src/index.ts',
  stub: 'stubs/main.ts',
  'tune-worker': 'src/tune/worker.ts',
};

/** Entries are written one after another; a missing one is named and left out. */
function presentEntries() {
  const entries = Object.entries(ENTRIES);
  const missing = entries.filter(([, path]) => !existsSync(join(ROOT, path)));
  for (const [, path] of missing) console.error(`build: ${path} does not exist, left out`);
  return Object.fromEntries(entries.filter((entry) => !missing.includes(entry)));
}

async function bundle(entryPoints) {
  await build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir: 'dist',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    packages: 'external',
    sourcemap: 'linked',
    logLevel: 'warning',
  });
}

/** Emits only: `make check` is where types are checked. */
function declare() {
  const compiler = createRequire(import.meta.url).resolve('typescript/package.json');
  const tsc = join(dirname(compiler), 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: ROOT, stdio: 'inherit' });
}

rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
const entryPoints = presentEntries();
if (Object.keys(entryPoints).length > 0) await bundle(entryPoints);
if (entryPoints.index !== undefined) declare();
