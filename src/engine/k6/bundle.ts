/** Puts a plan, its schedule and the script together into the one file that k6 runs. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Plan, PlanParts } from './plan.ts';

/** A ConfigMap holds 1 MiB with everything in it; the script itself is about 20 KB. */
const LARGEST_INSIDE_BYTES = 900_000;
/** Longer, and the scenario has to be given to `import` beside the output. */
const LONGEST_MARK = 256 * 1024;
const MARK = '//@loadline ';

export interface Bundle {
  readonly script: string;
  /** What stands beside it where it is too large to stand inside; the script opens it by its name. */
  readonly schedule: { readonly file: string; readonly text: string } | null;
}

export interface BundleOptions {
  /** Name of the script's file; that of the schedule's follows it. */
  readonly name: string;
  /** Bytes of schedule that may stand inside the script. */
  readonly largestInside?: number;
}

/** The script as ES2020 in one ES module that imports nothing but `k6` and `k6/*`. */
export async function bundleForK6(
  { plan, schedule }: PlanParts,
  { name, largestInside = LARGEST_INSIDE_BYTES }: BundleOptions,
): Promise<Bundle> {
  const file = `${name.replace(/(\.k6)?\.js$/, '')}.schedule.txt`;
  const isInside = schedule.length <= largestInside;
  const source = isInside ? { text: schedule } : { file: `./${file}` };
  const script = await bundled(plan, source);
  return { script, schedule: isInside ? null : { file, text: schedule } };
}

async function bundled(plan: Plan, source: { text: string } | { file: string }): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [scriptPath()],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    target: 'es2020',
    external: ['k6', 'k6/*'],
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
    tsconfigRaw: {},
    define: { LOADLINE_PLAN: JSON.stringify(plan), LOADLINE_SCHEDULE: JSON.stringify(source) },
    banner: { js: bannerOf(plan) },
    footer: { js: markOf(plan) },
  });
  return outputFiles[0]?.text ?? '';
}

/** Built, the script lies beside this code with everything but `k6` already in it. */
function scriptPath(): string {
  const built = fileURLToPath(new URL('./k6-script.js', import.meta.url));
  return existsSync(built) ? built : fileURLToPath(new URL('./script.ts', import.meta.url));
}

function bannerOf({ name, version, count, scheduleDigest, notes }: Plan): string {
  return [
    `// ${name}: ${count} arrivals, made by loadline ${version}. Made again by \`loadline k6\`, not edited.`,
    `// Schedule ${scheduleDigest}`,
    '// ENDPOINT, MODEL, OPENAI_API_KEY, LOADLINE_EPOCH_MS and LOADLINE_RESULT are read from the environment.',
    ...notes.map((note) => `// Note: ${note}`),
  ].join('\n');
}

/** What `import` needs to know of the run, in a comment. */
function markOf({ scenario, scheduleDigest }: Plan): string {
  const text = JSON.stringify({ scenario, scheduleDigest });
  return text.length > LONGEST_MARK ? '' : `${MARK}${text}`;
}

/** The scenario that a bundle was made from, as it was resolved; undefined where it does not say. */
export function scenarioInBundle(script: string): unknown {
  const line = script.split('\n').findLast((each) => each.startsWith(MARK));
  if (line === undefined) return undefined;
  const { scenario } = JSON.parse(line.slice(MARK.length)) as { scenario?: unknown };
  return scenario;
}
