import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Launch } from '../engine/live/child.ts';

const ENTRIES = {
  cli: { built: 'dist/cli.js', source: 'src/cli.ts' },
  stub: { built: 'dist/stub.js', source: 'stubs/main.ts' },
} as const;

/** How to start a part of ourselves in the way in which we were started: built, or from source. */
export function launchOf(entry: keyof typeof ENTRIES): Launch {
  const isBuilt = import.meta.url.endsWith('.js');
  const root = fileURLToPath(new URL(isBuilt ? '..' : '../..', import.meta.url));
  const { built, source } = ENTRIES[entry];
  if (isBuilt) return { script: join(root, built), nodeArguments: ['--enable-source-maps'] };
  const loader = createRequire(import.meta.url).resolve('tsx/esm');
  return {
    script: join(root, source),
    nodeArguments: ['--import', pathToFileURL(loader).href],
  };
}
