import { basename, dirname, join } from 'node:path';
import { Argument, Command } from 'commander';
import { buildSchedule } from '../arrivals/build.ts';
import type { Schedule } from '../arrivals/schedule.ts';
import { type Bundle, bundleForK6 } from '../engine/k6/bundle.ts';
import { operatorManifest, segment, segmentSequence } from '../engine/k6/operator.ts';
import { type Plan, planOf } from '../engine/k6/plan.ts';
import { simulate } from '../engine/sim.ts';
import { UserError } from '../errors.ts';
import type { Scenario } from '../scenario/types.ts';
import {
  positiveNumber,
  type ScenarioOptions,
  wholeNumber,
  withScenarioOptions,
} from './options.ts';
import { checkOutFiles, writeOutFiles } from './out-files.ts';
import { note, print } from './output.ts';
import { peakInFlight } from './peak.ts';
import { scenarioFrom } from './resolve.ts';
import { identity } from './simulate.ts';
import { version } from './version.ts';

interface K6Options extends ScenarioOptions {
  readonly out?: string;
  readonly force?: boolean;
  readonly quiet?: boolean;
  readonly endpoint?: string;
  readonly model?: string;
  readonly vus?: number;
  readonly instances: number;
  readonly operator?: boolean;
  readonly image: string;
  readonly startIn: number;
  readonly volumeClaim: string;
}

/** Where the gate of ours listens unless told otherwise. */
const ENDPOINT = 'http://127.0.0.1:8080';
const IMAGE = 'grafana/k6:2.2.0';

/** `loadline k6`: a bundle that plays the same arrivals in k6. */
export function k6Command(): Command {
  const command = new Command('k6')
    .description(
      'write a bundle that plays the same arrivals in k6, and a manifest for its operator',
    )
    .addArgument(new Argument('<scenario>', 'a file, or the name of a shipped scenario'))
    .option('-o, --out <file>', 'the script (default: runs/<name>.k6.js)')
    .option('--force', 'write over what is there')
    .option('-q, --quiet', 'no notes on stderr')
    .option(
      '-e, --endpoint <url>',
      `base URL; ENDPOINT goes before it in k6 (default: ${ENDPOINT})`,
    )
    .option('-m, --model <name>', 'model to ask for; MODEL goes before it in k6')
    .option('--vus <number>', 'instead of what the predicted peak asks for', wholeNumber(1))
    .option('--instances <number>', 'machines or pods that share the schedule', wholeNumber(1), 1)
    .option('--operator', "a TestRun for k6's operator beside the script")
    .option('--image <name>', 'of the pods, pinned', IMAGE)
    .option(
      '--start-in <seconds>',
      'from now to the first instant, for all pods',
      positiveNumber,
      300,
    )
    .option('--volume-claim <name>', 'where the pods write their output', 'loadline-results');
  return withScenarioOptions(command).action(run);
}

async function run(nameOrPath: string, options: K6Options): Promise<void> {
  const scenario = await scenarioFrom(nameOrPath, options);
  const schedule = buildSchedule(scenario);
  if (schedule.arrivals.length === 0) {
    throw new UserError(`${nameOrPath}: expected a schedule with arrivals, got none`);
  }
  const out = options.out ?? join('runs', `${scenario.name.replace(/[^\w.-]+/g, '-')}.k6.js`);
  checkOutFiles([out], options.force ?? false);
  const parts = partsFor(scenario, schedule, options);
  const bundle = await bundleForK6(parts, { name: basename(out) });
  const files = filesOf(out, parts.plan, bundle, options);
  checkOutFiles(
    files.map(([path]) => path),
    options.force ?? false,
  );
  writeOutFiles(Object.fromEntries(files));
  await print(`${files.map(([path]) => path).join('\n')}\n`);
  for (const text of notesFor(out, parts.plan, bundle, options)) note(text, options);
}

function partsFor(scenario: Scenario, schedule: Schedule, options: K6Options) {
  const { scenarioDigest, schedule: facts } = identity(scenario, schedule);
  return planOf(scenario, schedule, {
    ...{ version, scenarioDigest, scheduleDigest: facts.digest },
    peakInFlight: peakInFlight((sink) => simulate(scenario, { schedule, sink })),
    instances: options.instances,
    endpoint: options.endpoint ?? process.env['MC_ENDPOINT'] ?? ENDPOINT,
    model: options.model ?? process.env['MC_MODEL'] ?? 'loadline-stub',
    ...(options.vus === undefined ? {} : { vus: options.vus }),
  });
}

function filesOf(out: string, plan: Plan, bundle: Bundle, options: K6Options): [string, string][] {
  const { script, schedule } = bundle;
  const beside: [string, string][] =
    schedule === null ? [] : [[join(dirname(out), schedule.file), schedule.text]];
  if (options.operator !== true) return [[out, script], ...beside];
  const named = Object.fromEntries([
    [basename(out), script],
    ...beside.map(([p, t]) => [basename(p), t]),
  ]);
  const manifest = operatorManifest(plan, named, {
    parallelism: options.instances,
    image: options.image,
    epochMs: Date.now() + options.startIn * 1000,
    scriptFile: basename(out),
    endpoint: plan.endpoint,
    volumeClaim: options.volumeClaim,
  });
  return [[out, script], ...beside, [out.replace(/(\.k6)?\.js$/, '.testrun.yaml'), manifest]];
}

function notesFor(out: string, plan: Plan, bundle: Bundle, options: K6Options): string[] {
  const { instances } = options;
  const name = out.replace(/(\.k6)?\.js$/, '');
  const notes = [
    `${plan.count} arrivals, schedule ${plan.scheduleDigest.slice(0, 12)}, ${plan.vus} VUs`,
    ...plan.notes.map((each) => `note: ${each}`),
  ];
  if (options.operator === true) {
    const archive =
      bundle.schedule === null ? [] : [`k6 archive -O ${name}.tar ${out}  # onto the volume`];
    return [
      ...notes,
      ...archive,
      `kubectl apply -f ${name}.testrun.yaml  # within ${options.startIn} s`,
    ];
  }
  return [...notes, ...runLines(name, out, plan, instances), ...importLines(name, out)];
}

/** Commands to paste: one machine, or one line for each, with an instant in common. */
function runLines(name: string, out: string, plan: Plan, instances: number): string[] {
  const each = instances === 1 ? '' : `, on each of the ${instances} machines`;
  const where = `export ENDPOINT=${shellWord(plan.endpoint)}  # where your gateway is${each}`;
  const script = shellWord(out);
  if (instances === 1) {
    return [where, `k6 run --out json=${shellWord(`${name}.json.gz`)} ${script}`];
  }
  const runs = Array.from({ length: instances }, (_, index) =>
    [
      `LOADLINE_EPOCH_MS=$EPOCH k6 run --execution-segment ${segment(index, instances)}`,
      `--execution-segment-sequence ${segmentSequence(instances)} --out json=${shellWord(`${name}.${index}.json.gz`)} ${script}`,
    ].join(' '),
  );
  return [
    where,
    `EPOCH=$(( ($(date +%s) + 60) * 1000 ))  # once, a minute ahead; the same number on each of the ${instances} machines`,
    ...runs,
  ];
}

function importLines(name: string, out: string): string[] {
  return [
    '# then, here:',
    `npx loadline import k6 ${shellWord(name)}*.json.gz --scenario ${shellWord(out)}`,
  ];
}

/** Quoted where a shell would read it as more than one word. */
function shellWord(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
