// Builds dist/: one flat folder of bundles, so that `import.meta.url` has the same depth in every one
// of them, and the declarations of the library entry.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const ENTRIES = {
  cli: 'src/cli.ts',
  index: 'src/index.ts',
  stub: 'stubs/main.ts',
  'tune-worker': 'src/commands/evaluate-task.ts',
};

/** A missing entry is named and left out: the parts are written one after another. */
function presentEntries() {
  const entries = Object.entries(ENTRIES);
  const missing = entries.filter(([, path]) => !existsSync(join(ROOT, path)));
  for (const [, path] of missing) console.error(`build: ${path} does not exist, left out`);
  return Object.fromEntries(entries.filter((entry) => !missing.includes(entry)));
}

async function bundle(entryPoints) {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir: 'dist',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    // Constants become literals. The machines are small functions, and the engine builds in what is short.
    minifySyntax: true,
    packages: 'external',
    sourcemap: 'linked',
    metafile: true,
    logLevel: 'warning',
  });
  return new Set(Object.keys(metafile.outputs).map((path) => path.replace(/^dist\//, '')));
}

/** The script that every page of a report carries. */
async function bundlePageRuntime() {
  const options = JSON.parse(readFileSync(join(ROOT, 'src/report/browser/bundle.json'), 'utf8'));
  await build({
    ...options,
    absWorkingDir: ROOT,
    entryPoints: ['src/report/browser/main.ts'],
    outfile: 'dist/page-runtime.js',
    logLevel: 'warning',
  });
  return 'page-runtime.js';
}

/** What a bundle for k6 is made from, by the user's own esbuild: the script without its plan. */
async function bundleK6Script() {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/engine/k6/script.ts'],
    outfile: 'dist/k6-script.js',
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2020',
    external: ['k6', 'k6/*'],
    logLevel: 'warning',
  });
  return 'k6-script.js';
}

/** Overwrite, then prune: a command that runs during a build keeps finding its files. */
function prune(written) {
  for (const name of readdirSync(DIST)) {
    if (/\.js(\.map)?$/.test(name) && !written.has(name)) rmSync(join(DIST, name));
  }
}

/** Emits only: `make check` is where types are checked. */
function declare() {
  const compiler = createRequire(import.meta.url).resolve('typescript/package.json');
  const tsc = join(dirname(compiler), 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
}

const entryPoints = presentEntries();
mkdirSync(DIST, { recursive: true });
const written = await bundle(entryPoints);
written.add(await bundlePageRuntime());
prune(written.add(await bundleK6Script()));
if (entryPoints.index !== undefined) declare();
