import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';
import options from './browser/bundle.json' with { type: 'json' };

let kept: Promise<string> | undefined;

/**
 * The script that every page carries: vega's runtime with its interpreter, and tooltips. The build
 * leaves it beside the bundles; from the sources it is bundled once per process.
 */
export function pageRuntime(): Promise<string> {
  kept ??= load();
  return kept;
}

async function load(): Promise<string> {
  const built = fileURLToPath(new URL('./page-runtime.js', import.meta.url));
  const text = existsSync(built) ? await readFile(built, 'utf8') : await bundled();
  // Only strings and patterns can hold this, and in both the backslash says the same.
  return text.trim().replaceAll('</script', '<\\/script');
}

async function bundled(): Promise<string> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    ...(options as BuildOptions),
    absWorkingDir: fileURLToPath(new URL('../..', import.meta.url)),
    entryPoints: ['src/report/browser/main.ts'],
    write: false,
  });
  return outputFiles?.[0]?.text ?? '';
}
