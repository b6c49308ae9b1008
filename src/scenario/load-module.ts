/**
 * Scenarios written in TypeScript. Node 20 does not run them, and a file outside any project could
 * not find `loadline`: so it is bundled, with that name pointing here, and the bundle is imported.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type BuildFailure, build } from 'esbuild';
import { UserError } from '../errors.ts';

/** Lets bundled CommonJS packages find Node's own modules. */
const REQUIRE =
  "import { createRequire as r_ } from 'node:module'; const require = r_(import.meta.url);";

/** What `loadline` means in a scenario: the built library, or its source where this is run from source. */
function libraryPath(): string {
  const built = fileURLToPath(new URL('./index.js', import.meta.url));
  return existsSync(built) ? built : fileURLToPath(new URL('../index.ts', import.meta.url));
}

/**
 * The default export of a scenario file.
 * @param shown how the user called the file
 * @throws UserError with the line of a syntax error, or with what the file threw
 */
export async function importModule(path: string, shown: string): Promise<unknown> {
  const code = await bundle(path, shown);
  const folder = mkdtempSync(join(tmpdir(), 'loadline-'));
  const file = join(folder, 'scenario.mjs');
  try {
    writeFileSync(file, code);
    const module = await settled(import(pathToFileURL(file).href), shown);
    return defaultExport(module, shown);
  } catch (error) {
    if (error instanceof UserError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new UserError(`${shown}: expected a scenario, got an error: ${message.split('\n')[0]}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A module that awaits what never comes would end the program without a word. */
function settled(module: Promise<unknown>, shown: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stuck = () => reject(new UserError(`${shown}: expected a scenario, got no end`));
    process.once('beforeExit', stuck);
    const heard = () => process.off('beforeExit', stuck);
    module.finally(heard).then(resolve, reject);
  });
}

function defaultExport(module: unknown, shown: string): unknown {
  if (typeof module === 'object' && module !== null && 'default' in module) return module.default;
  throw new UserError(
    `${shown}: expected a default export, as in \`export default defineScenario({ ... })\`, got none`,
  );
}

async function bundle(path: string, shown: string): Promise<string> {
  try {
    const { outputFiles } = await build({
      entryPoints: [path],
      absWorkingDir: dirname(path),
      bundle: true,
      write: false,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'silent',
      // A project's settings for its own build have no say here.
      tsconfigRaw: {},
      alias: { loadline: libraryPath() },
      banner: { js: REQUIRE },
      define: { 'import.meta.url': JSON.stringify(pathToFileURL(path).href) },
    });
    return outputFiles[0]?.text ?? '';
  } catch (error) {
    throw bundleError(error, shown);
  }
}

function bundleError(error: unknown, shown: string): unknown {
  if (!isBuildFailure(error)) return error;
  const first = error.errors[0];
  const at = first?.location;
  const where = at ? `${shown}:${at.line}:${at.column + 1}` : shown;
  return new UserError(`${where}: ${inOurWords(first?.text ?? error.message)}`);
}

/** `Expected ";" but found "x"` says it in another order, and under our own "expected" twice. */
function inOurWords(text: string): string {
  const [, expected, found] = /^Expected (.+) but found (.+)$/.exec(text) ?? [];
  if (found !== undefined) return `expected ${expected}, got ${found}`;
  const [, missing] = /^Could not resolve (.+)$/.exec(text) ?? [];
  if (missing !== undefined) return `expected an import that is there, got ${missing}`;
  const [, unexpected] = /^Unexpected (.+)$/.exec(text) ?? [];
  return `expected TypeScript, got ${unexpected ?? text.charAt(0).toLowerCase() + text.slice(1)}`;
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}
