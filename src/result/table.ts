import { intervalOf, numberOf } from './figure.ts';
import { beyondQuantile } from './statistics.ts';
import type { Distribution, Figure, Outcomes, Result } from './types.ts';

const INDENT = '  ';

/**
 * The result as a table for a terminal: what became of the requests, how long they took (with the
 * share that each line speaks of, and how many lie beyond a percentile), the pool, the health.
 */
export function resultTable(result: Result): string {
  const blocks = [
    heading(result),
    outcomeLines(result),
    latencyLines(result),
    poolLines(result),
    classLines(result),
    healthLines(result),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function heading({ scenario, engine, seed, replications, environment }: Result): string[] {
  const runs = replications > 1 ? `, ${replications} replications (mean, 95 % interval)` : '';
  const target = environment.target === 'stub' ? ', STUB' : '';
  return [`${scenario.name}  ${engine}${target}  seed ${seed}${runs}`];
}

function outcomeLines({ outcomes, rates, rejectedBy, failedBy, series }: Result): string[] {
  const offered = numberOf(outcomes.offered) ?? 0;
  const row = (name: string, figure: Figure) => [name, count(figure), ofOffered(figure, offered)];
  const names: (keyof Outcomes)[] = [
    'rejected',
    'expired',
    'completed',
    'failed',
    'abandoned',
    'killed',
    'censored',
    'undecided',
    'unsent',
  ];
  const always: ReadonlySet<string> = new Set(['rejected', 'expired', 'completed']);
  const shown = names.filter((name) => always.has(name) || (numberOf(outcomes[name]) ?? 0) > 0);
  const table = [
    ['offered', count(outcomes.offered), ''],
    ...shown.map((name) => row(name, outcomes[name])),
    ...codeRows(rejectedBy, 'of the turned away, by'),
    ...codeRows(failedBy, 'ended by'),
    ...messageRows(series),
    ['SLO missed', count(outcomes.sloBreached), `${percent(rates.breach)} of the served`],
    ['goodput', count(inTime(rates.goodput, offered)), `${percent(rates.goodput)} of offered`],
  ];
  return aligned([['requests', 'count', 'share'], ...table], ['left', 'right', 'left']);
}

/** Requests served in time: of one run a whole number, of several the mean. */
function inTime(goodput: Figure, offered: number): Figure {
  const share = numberOf(goodput);
  return share === null ? null : Number((share * offered).toFixed(1));
}

const MOST_MESSAGES = 3;

/** The most frequent words of what went wrong; a result of before they were kept has none. */
function messageRows({ messages = [] }: Partial<Result['series']>): string[][] {
  return messages
    .slice(0, MOST_MESSAGES)
    .map(({ code, text, n }) => [`${INDENT}said`, String(n), `${code}: ${text}`]);
}

function codeRows(codes: Readonly<Record<string, Figure>>, label: string): string[][] {
  return Object.entries(codes).map(([code, n]) => [`${INDENT}${label} ${code}`, count(n), '']);
}

function ofOffered(figure: Figure, offered: number): string {
  const value = numberOf(figure);
  return value === null || offered === 0 ? '' : `${percent(value / offered)} of offered`;
}

const NO_TIMES: Distribution = { n: 0, mean: null, p50: null, p95: null, p99: null, max: null };

function latencyLines(result: Result): string[] {
  const offered = numberOf(result.outcomes.offered) ?? 0;
  const row = (name: string, of: Distribution) => [
    name,
    count(of.n),
    offered === 0 ? '' : percent((numberOf(of.n) ?? 0) / offered),
    ...[of.mean, of.p50, of.p95].map(seconds),
    `${seconds(of.p99)}${beyond(of)}`,
    seconds(of.max),
  ];
  const table = [
    ['seconds', 'n', 'share', 'mean', 'p50', 'p95', 'p99 (n beyond)', 'max'],
    row('response, from intended', result.responseS),
    row('response, from sending', result.serviceS),
    row('first byte', result.firstByteS ?? NO_TIMES),
    row('first token', result.ttftS),
    row('first content', result.firstContentS ?? NO_TIMES),
    row('wait of the granted', result.waitS),
    row('kept before turned away', result.refusalS),
  ];
  return aligned(
    table.filter(([, n], i) => i < 2 || !/^0\b/.test(n ?? '')),
    ['left', ...Array<'right'>(7).fill('right')],
  );
}

function beyond(of: Distribution): string {
  const n = numberOf(of.n);
  return of.p99 === null || n === null ? '' : ` (${beyondQuantile(n, 0.99)})`;
}

function poolLines({ utilization, queueAgeS, attempts, ...result }: Result): string[] {
  const rows = [
    ['slots leased', percent(utilization.slots)],
    ['slots busy', utilization.busy === null ? 'unknown' : percent(utilization.busy)],
    [
      'queue age',
      `mean ${seconds(queueAgeS.mean)} s, p99 ${seconds(queueAgeS.p99)} s, max ${seconds(queueAgeS.max)} s`,
    ],
  ];
  if ((numberOf(attempts.retries) ?? 0) > 0) {
    rows.push(['retries', `${count(attempts.retries)} (x ${decimals(attempts.amplification, 2)})`]);
  }
  const more = [...goneRows(result), ...preemptRows(result)];
  return aligned([['pool', ''], ...rows, ...more], ['left', 'left']);
}

/** Work for nobody; nothing where there was none. */
function goneRows({ callersGone }: Pick<Result, 'callersGone'>): string[][] {
  if (callersGone === undefined || (numberOf(callersGone.slotS) ?? 0) === 0) return [];
  const { slotS, afterS, share } = callersGone;
  return [
    [
      'for callers who left',
      `${seconds(slotS)} slot-s, ${percent(share)} of all; ${seconds(afterS)} s of it after they had left`,
    ],
  ];
}

type OfPreempts = Pick<Result, 'preempts' | 'preemptsPerTask' | 'lostToPreempts' | 'tokens'>;

function preemptRows({
  preempts,
  preemptsPerTask,
  lostToPreempts,
  tokens,
}: OfPreempts): string[][] {
  if ((numberOf(preempts) ?? 0) === 0) return [];
  const { mean, max } = preemptsPerTask;
  return [
    ['preempts', `${count(preempts)}, ${decimals(mean, 2)} a task, at most ${count(max)}`],
    ['lost to preempts', `${count(lostToPreempts)} requests`],
    ['redone', `${count(tokens.redone)} tokens, ${percent(tokens.redoneShare)} of all worked`],
  ];
}

function classLines({ byClass }: Result): string[] {
  const classes = Object.entries(byClass);
  if (classes.length < 2) return [];
  const rows = classes.map(([name, of]) => [
    name,
    count(of.outcomes.offered),
    percent(of.rates.rejection),
    percent(of.rates.breach),
    percent(of.rates.goodput),
    seconds(of.responseS.p95),
  ]);
  const head = ['class', 'offered', 'turned away', 'late', 'goodput', 'response p95 s'];
  return aligned([head, ...rows], ['left', ...Array<'right'>(5).fill('right')]);
}

function healthLines({ health }: Result): string[] {
  const { latenessMs, requestedRate, achievedRate } = health;
  const late =
    latenessMs === null
      ? ''
      : `, late p50 ${short(latenessMs.p50)} ms, p99 ${short(latenessMs.p99)} ms, max ${short(latenessMs.max)} ms`;
  const line = `health ${health.status}: sent ${short(achievedRate)}/s of ${short(requestedRate)}/s${late}`;
  return [line, ...health.notes.map((note) => `${INDENT}${note}`)];
}

function aligned(rows: readonly string[][], sides: readonly ('left' | 'right')[]): string[] {
  const widths = sides.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return sides[column] === 'right' ? cell.padStart(width) : cell.padEnd(width);
    });
    return cells.join(INDENT).trimEnd();
  });
}

function count(figure: Figure): string {
  return withInterval(figure, (value) => (Number.isInteger(value) ? `${value}` : value.toFixed(1)));
}

function percent(figure: Figure): string {
  return `${withInterval(figure, (value) => (100 * value).toFixed(1), 1)}${figure === null ? '' : ' %'}`;
}

function seconds(figure: Figure): string {
  return withInterval(figure, short);
}

function decimals(figure: Figure, digits: number): string {
  return withInterval(figure, (value) => value.toFixed(digits));
}

/**
 * `12.3` or, over replications, `12.3 [12.1, 12.5]`.
 * @param most of a share: 1
 */
function withInterval(figure: Figure, write: (value: number) => string, most?: number): string {
  if (figure === null) return '-';
  if (typeof figure === 'number') return write(figure);
  const [lo, hi] = intervalOf(figure, most);
  return `${write(figure.mean)} [${write(lo)}, ${write(hi)}]`;
}

/** Three significant digits and no exponent. */
function short(value: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 4));
}
