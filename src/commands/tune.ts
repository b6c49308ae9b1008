import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { UserError } from '../errors.ts';
import { textDigest } from '../ledger/digest.ts';
import { stableJson } from '../result/json.ts';
import { canonicalJson } from '../scenario/canonical.ts';
import { parseScenario } from '../scenario/schema.ts';
import { parseSet, setAll } from '../scenario/set.ts';
import type { Scenario } from '../scenario/types.ts';
import { tune } from '../tune/tune.ts';
import { tuneText } from '../tune/tune-text.ts';
import type { Origin } from '../tune/types.ts';
import { LATE_LIMIT } from '../tune/weigh.ts';
import { documentFolder, writeDocument } from './document-folder.ts';
import { createEvaluator } from './evaluate.ts';
import { attemptsNote, drawnNote, fittedScenario } from './learned.ts';
import { type LiveFlags, withLiveOptions } from './live-options.ts';
import { countsLoggedRetries, unseenNotes, withoutLoggedRetries } from './logged-retries.ts';
import { loggedArrivals } from './logged-services.ts';
import {
  also,
  type OutputOptions,
  type ScenarioOptions,
  wholeNumber,
  withAllowDrawn,
  withOutputOptions,
  withScenarioOptions,
} from './options.ts';
import { note, print } from './output.ts';
import { isRunFolder, readRun } from './recorded-run.ts';
import { scenarioFrom } from './resolve.ts';
import { withWorkers } from './sweep.ts';
import { tuneAxes } from './tune-axes.ts';
import { tuneEffort } from './tune-effort.ts';
import { tuneProgress } from './tune-progress.ts';
import { refuseCutShort, verifyLive } from './verify.ts';
import { version } from './version.ts';

interface TuneOptions extends ScenarioOptions, OutputOptions, LiveFlags {
  readonly verify?: 'live';
  readonly allowDrawn?: boolean;
  readonly param: readonly string[];
  readonly objective: 'admit' | 'goodput';
  readonly maxBreach?: number;
  readonly goodput: number;
  readonly floor: number;
  readonly replications?: number;
  readonly replicas?: number;
  readonly workers: number;
}

/** `loadline tune`: the threshold that can be defended, and what no threshold can save. */
export function tuneCommand(): Command {
  const command = new Command('tune')
    .description('find the setting of a gate that holds in all these scenarios')
    .addArgument(
      new Argument('[scenarios...]', 'files, names of shipped scenarios, or folders of runs'),
    )
    .requiredOption(
      '--param <path=from..to/step>',
      'what is tuned, over a range or a list; may be repeated; without a step: 1, or 10 to 26 values where whole numbers are too few or too many',
      also,
      [],
    )
    .addOption(
      new Option('--objective <objective>', 'turn away as few as possible, or serve most in time')
        .choices(['admit', 'goodput'])
        .default('admit'),
    )
    .option(
      '--max-breach <share>',
      `of the served, at most this share may miss the SLO (default: ${LATE_LIMIT}, with the objective goodput any)`,
      share,
    )
    .option('--goodput <share>', 'count the slots that serve this share in time', share, 0.99)
    .option('--floor <share>', 'of its goodput that every class and size keeps', share, 0.9)
    .option('--replicas <number>', 'gates that share the limits', wholeNumber(1, 10_000))
    .option(
      '-n, --replications <number>',
      'runs of each setting (default: 100, fewer where a run has over 500 arrivals, or a log over 250)',
      wholeNumber(2, 1_000_000),
    );
  command.addOption(
    new Option('--verify <engine>', 'play the chosen and the present setting for real').choices([
      'live',
    ]),
  );
  const whole = withLiveOptions(withScenarioOptions(withWorkers(withAllowDrawn(command))));
  return withOutputOptions(whole, 'folder').action(run);
}

function share(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError(`expected a share of 0 to 1, got ${JSON.stringify(text)}`);
}

async function run(names: readonly string[], options: TuneOptions): Promise<void> {
  const axes = tuneAxes(options.param);
  const asked: TuneSubject[] = [];
  for (const name of names.length === 0 ? [undefined] : names) {
    asked.push(...bothWays(await subjectFrom(name, options), options));
  }
  const digests = asked.map(({ scenario }) => textDigest(canonicalJson(scenario)));
  refuseSame(asked, digests);
  const folder = documentFolder(`${asked[0]?.scenario.name}-tune`, options);
  const subjects = toldApart(asked);
  const scenarios = subjects.map(({ scenario }) => scenario);
  const { replications, worthAThread, notes } = tuneEffort(scenarios, options.replications);
  const progress = tuneProgress(options);
  const { doing, played } = progress;
  const evaluator = createEvaluator(options.workers, undefined, { worthAThread, played });
  try {
    const document = await tune({
      doing,
      scenarios,
      digests,
      loadline: version,
      axes,
      objective: objectiveOf(options),
      replications,
      goodput: options.goodput,
      floor: options.floor,
      arrivals: leastArrivals(subjects),
      evaluate: evaluator.evaluate,
      origin: originOf(subjects),
      notes: [...subjects.flatMap((subject) => subject.notes), ...notes],
      today: today(),
      measuredOn: oldestOf(subjects),
      replicas: options.replicas ?? null,
      ...(options.verify === undefined
        ? {}
        : {
            verify: (chosen, setting, present) =>
              verifyLive(
                { scenario: chosen, setting },
                present,
                options,
                evaluator.evaluate,
                (text) => note(text, options),
              ),
          }),
    });
    progress.stop();
    await print(options.json === true ? stableJson(document) : tuneText(document));
    if (folder !== undefined) {
      const { renderTunePage } = await import('../report/tune-page.ts');
      writeDocument(folder, document, await renderTunePage(document), options);
    }
    refuseCutShort(document.verification);
  } finally {
    progress.stop();
    await evaluator.close();
  }
}

/** What is tuned for, and what it is known from. */
interface TuneSubject {
  /** As it was asked for: a name, a file or the folder of a run. */
  readonly from: string;
  readonly scenario: Scenario;
  /** Observed; null where the rate is declared. */
  readonly arrivals: number | null;
  readonly origin: Origin;
  readonly notes: readonly string[];
  /** The day of the run; null where none was measured. */
  readonly measuredOn: string | null;
}

/** A scenario as declared, or as a run observed it. */
async function subjectFrom(name: string | undefined, options: TuneOptions): Promise<TuneSubject> {
  const declared = { engine: 'sim', target: 'none', simulated: true } as const;
  if (name === undefined || !isRunFolder(name)) {
    const scenario = await scenarioFrom(name, options);
    return {
      from: name ?? scenario.name,
      scenario,
      arrivals: loggedArrivals(scenario),
      origin: declared,
      notes: [],
      measuredOn: null,
    };
  }
  const run = await readRun(name);
  const notes = [drawnNote(run, options.allowDrawn ?? false), attemptsNote(run)];
  const { target, startedAt } = run.result.environment;
  const measuredOn = startedAt?.slice(0, 10) ?? null;
  const scenario = parseScenario(setAll(fittedScenario(run), options.set.map(parseSet)));
  const origin = { engine: 'sim', target, simulated: target !== 'endpoint' } as const;
  return { from: name, scenario, arrivals: run.arrivals.length, origin, notes, measuredOn };
}

/**
 * A log with retries in it is read both ways, and a threshold has to hold in both, unless one way
 * is asked for. @throws UserError where a fifth of the demand was never seen
 */
function bothWays(subject: TuneSubject, { set, allowDrawn = false }: TuneOptions): TuneSubject[] {
  const { scenario } = subject;
  const isAsked = set.some((text) => text.startsWith('arrivals.retries='));
  if (isAsked || !countsLoggedRetries(scenario)) {
    const unseen = unseenNotes(scenario, allowDrawn);
    return [{ ...subject, notes: [...subject.notes, ...unseen] }];
  }
  const once = withoutLoggedRetries(scenario);
  const unseen = unseenNotes(once, allowDrawn);
  const name = `${scenario.name}, each once`;
  const note = `${name}: rows that are taken for retries left out`;
  return [subject, { ...subject, scenario: { ...once, name }, notes: [note, ...unseen] }];
}

/** The same twice would count twice. @throws UserError */
function refuseSame(subjects: readonly TuneSubject[], digests: readonly string[]): void {
  const second = subjects.find((_, i) => digests.indexOf(digests[i] ?? '') !== i);
  if (second === undefined) return;
  throw new UserError(`tune: expected each scenario once, got the same twice: ${second.from}`);
}

/** Different scenarios of one name are told apart by where they are from. */
function toldApart(subjects: readonly TuneSubject[]): TuneSubject[] {
  const names = subjects.map(({ scenario }) => scenario.name);
  return subjects.map((subject) => {
    const { scenario, from } = subject;
    const isAlone = names.filter((name) => name === scenario.name).length === 1;
    if (isAlone) return subject;
    return { ...subject, scenario: { ...scenario, name: `${scenario.name} (${from})` } };
  });
}

function leastArrivals(subjects: readonly TuneSubject[]): number | null {
  const known = subjects.flatMap(({ arrivals }) => arrivals ?? []);
  return known.length === 0 ? null : Math.min(...known);
}

function oldestOf(subjects: readonly TuneSubject[]): string | null {
  const days = subjects.flatMap(({ measuredOn }) => measuredOn ?? []);
  return days.sort()[0] ?? null;
}

/** Or the day of a reproducible build: https://reproducible-builds.org/specs/source-date-epoch/ */
function today(): string {
  const epochS = Number(process.env['SOURCE_DATE_EPOCH']);
  const ms = Number.isFinite(epochS) && epochS > 0 ? epochS * 1000 : Date.now();
  return new Date(ms).toISOString().slice(0, 10);
}

/** As good as the worst of them. */
function originOf(subjects: readonly TuneSubject[]): Origin {
  const worst = subjects.find(({ origin }) => origin.simulated) ?? subjects[0];
  return worst?.origin ?? { engine: 'sim', target: 'none', simulated: true };
}

function objectiveOf({ objective, maxBreach }: TuneOptions) {
  const none = objective === 'admit' ? LATE_LIMIT : null;
  return { type: objective, maxBreach: maxBreach ?? none };
}
