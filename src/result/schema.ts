/**
 * What a result that is read back must look like, for every reader of one: a file that was edited is
 * refused in one line instead of failing somewhere in the middle. What a later version adds is kept.
 */
import * as z from 'zod';
import { UserError } from '../errors.ts';
import { flag, text } from '../scenario/fields.ts';
import { pathText, problemsOf } from '../scenario/problems.ts';
import { parseScenario } from '../scenario/schema.ts';
import type { Scenario } from '../scenario/types.ts';
import type { Verdict } from '../verdicts/types.ts';
import type { Result } from './types.ts';

const OBJECT = { error: 'an object' };
const object = <S extends z.ZodRawShape>(shape: S) => z.looseObject(shape, OBJECT);
const list = <T extends z.ZodType>(item: T) => z.array(item, { error: 'a list' });
const byName = <T extends z.ZodType>(of: T) => z.record(z.string(), of, OBJECT);
const amount = () => z.number({ error: 'a number, 0 or more' }).min(0, 'a number, 0 or more');
const number = () => z.number({ error: 'a number' });
const maybe = <T extends z.ZodType>(of: T) => of.nullable();

const figure = z.union(
  [
    z.number(),
    z.null(),
    z.looseObject({
      ...{ mean: number(), lo: number(), hi: number() },
      band: z.tuple([number(), number()], { error: 'two numbers' }),
    }),
  ],
  { error: 'a number, its spread over runs, or null' },
);

/** Figures by their names. */
function figures<const N extends string>(...names: readonly N[]) {
  const entries = names.map((name) => [name, figure] as const);
  return object(Object.fromEntries(entries) as Record<N, typeof figure>);
}

const distribution = figures('n', 'mean', 'p50', 'p95', 'p99', 'max');
const outcomes = figures(
  ...(['offered', 'unsent', 'undecided', 'rejected', 'admitted', 'completed', 'failed'] as const),
  ...(['expired', 'abandoned', 'killed', 'censored', 'sloBreached'] as const),
);
const rates = figures('rejection', 'breach', 'goodput');

const classResult = object({
  ...{ outcomes, rates, responseS: distribution, waitS: distribution },
  ...{ refusalS: distribution, heldS: distribution },
});

const ageBin = object({
  ...{ fromS: amount(), toS: maybe(amount()), timeS: amount(), decisions: amount() },
  ...{ admitted: amount(), rejected: amount(), expired: amount(), sloBreached: amount() },
  ...{ slots: maybe(amount()), busy: maybe(amount()) },
});

const timePoint = object({
  ...{ tS: amount(), queueAgeS: amount(), queueDepth: amount(), leases: amount() },
  ...{ slots: maybe(amount()), busy: maybe(amount()), slackS: maybe(number()) },
  ...{ admitted: amount(), rejected: amount(), expired: amount(), sloBreached: amount() },
  ...{ completed: amount(), retries: amount(), tokens: amount() },
});

const histogram = list(object({ fromS: amount(), toS: amount(), n: amount() }));

/** Results of before they were kept have none. */
const messages = z.exactOptional(
  list(object({ code: text(), text: text(), n: amount() })),
) as z.ZodType as z.ZodType<Result['series']['messages']>;

const series = object({
  response: histogram,
  wait: histogram,
  waitOverTime: list(object({ tS: amount(), p50: amount(), p95: amount(), max: amount() })),
  leases: list(
    object({
      ...{ seq: amount(), class: text(), client: maybe(text()), fromS: amount(), toS: amount() },
      ...{ ended: text(), outTokens: amount(), lastReadS: maybe(number()) },
    }),
  ),
  retried: list(object({ seq: amount(), class: text(), retries: amount() })),
  messages,
  preempts: list(
    object({
      ...{ tS: amount(), seq: amount(), queueAgeS: amount(), slackS: maybe(number()) },
      ...{ taskSlackS: maybe(number()), wastedTokens: amount(), restartTokens: amount() },
      replayed: flag(),
    }),
  ),
});

const STATUS = ['ok', 'generator-limited', 'interrupted'] as const;

const health = object({
  status: z.enum(STATUS, { error: `one of ${STATUS.join(', ')}` }),
  notes: list(text()),
  ...{ requestedRate: amount(), achievedRate: amount() },
  peakPer100ms: object({ intended: amount(), sent: amount() }),
  latenessMs: maybe(object({ p50: number(), p99: number(), max: number() })),
  eventLoopP99Ms: maybe(amount()),
  gapScv: maybe(object({ intended: amount(), achieved: amount() })),
});

const verdict = object({
  // Of whichever version gave it.
  action: z.custom<Verdict['action']>((value) => typeof value === 'string', { error: 'text' }),
  ...{ headline: text(), signal: text(), value: maybe(number()), threshold: maybe(number()) },
  ...{ evidence: text(), first: z.exactOptional(text()), commands: list(text()) },
  ...{ expect: text(), wrongIf: text(), undo: text() },
});

const TARGET = ['stub', 'endpoint', 'none'] as const;

const environment = object({
  target: z.enum(TARGET, { error: `one of ${TARGET.join(', ')}` }),
  ...{ endpoint: maybe(text()), model: maybe(text()), direct: flag(), loadline: text() },
  ...{ node: maybe(text()), cpus: maybe(amount()), startedAt: maybe(text()), notes: list(text()) },
  ledgers: z.exactOptional(byName(text())),
  asked: z.exactOptional(
    object({ scenario: maybe(text()), variables: byName(text()), words: list(text()) }),
  ),
});

/** With its defaults written out, so that nobody has to fill them in again. */
const resolved = z.custom<Scenario>().superRefine((input, issues) => {
  const wrong = wrongInScenario(input);
  if (wrong !== undefined) issues.addIssue(`a scenario (${wrong})`);
});

function wrongInScenario(input: unknown): string | undefined {
  try {
    const lost = lostIn(input, parseScenario(input));
    return lost === undefined ? undefined : `${lost}: expected it, got nothing`;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.message.split('\n')[0];
  }
}

/** The path of the first field that was left to its default; a field that a later version adds is to be excepted here. */
function lostIn(input: unknown, parsed: unknown): string | undefined {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  for (const [key, value] of Object.entries(parsed)) {
    const own = Object(input);
    if (!Object.hasOwn(own, key)) return key;
    const lost = lostIn(own[key], value);
    if (lost !== undefined) return `${key}.${lost}`;
  }
  return undefined;
}

/** Whole numbers that loops and memory depend on. */
const count = (from: number) =>
  z.int({ error: `a whole number, ${from} or more` }).min(from, `a whole number, ${from} or more`);

const resultSchema: z.ZodType<Result> = object({
  schemaVersion: z.literal(1, { error: '1' }),
  // `check` names an engine that is none.
  engine: z.custom<Result['engine']>((value) => typeof value === 'string', { error: 'text' }),
  scenario: object({ name: text(), digest: text(), resolved }),
  ...{ seed: count(0), replications: count(1) },
  timeScale: z.number({ error: 'a number, more than 0' }).positive('a number, more than 0'),
  schedule: object({ digest: text(), count: count(0), ratePerS: amount() }),
  ...{ health, outcomes, rates },
  ...{ rejectedBy: byName(figure), wouldReject: byName(figure), failedBy: byName(figure) },
  lossSplit: maybe(figures('threshold', 'capacity', 'holds', 'retries', 'upstream')),
  attempts: figures('total', 'retries', 'amplification', 'rejected', 'transportRetries'),
  ...{ responseS: distribution, waitS: distribution, serviceS: distribution },
  ...{ ttftS: distribution, refusalS: distribution },
  firstByteS: z.exactOptional(distribution),
  firstContentS: z.exactOptional(distribution),
  utilization: figures('slots', 'busy'),
  queueAgeS: figures('mean', 'p99', 'max'),
  tokens: figures(
    ...(['in', 'out', 'restarted', 'wasted', 'redone', 'worked'] as const),
    ...(['redoneShare', 'wastedShare'] as const),
  ),
  preempts: figure,
  preemptsPerTask: figures('mean', 'max'),
  lostToPreempts: figure,
  callersGone: z.exactOptional(figures('slotS', 'afterS', 'share')),
  byClass: byName(classResult),
  ...{ byQueueAge: list(ageBin), timeline: list(timePoint), series },
  ...{ verdicts: list(verdict), environment },
});

/**
 * A value as it was read from a file, as the result that it must be.
 * @param file its name, for the error
 * @throws UserError with the first thing that is wrong, and how many more are
 */
export function readResult(value: unknown, file: string): Result {
  const parsed = resultSchema.safeParse(value);
  // As it stands there: a reader compares what was written.
  if (parsed.success) return value as Result;
  const problems = problemsOf(value, parsed.error.issues);
  const [first] = problems;
  const what = first === undefined || first.path.length === 0 ? '' : `${pathText(first.path)}: `;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  throw new UserError(`${file}: expected the result of a run: ${what}${first?.text}${more}`);
}
