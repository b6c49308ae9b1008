import { numberOf } from '../result/figure.ts';
import { beyondQuantile } from '../result/statistics.ts';
import type { Distribution, Figure, Outcomes, Result } from '../result/types.ts';
import { figure } from './figure.ts';
import { count, list, percent, seconds, short } from './format.ts';
import { type Html, html, type Part, raw } from './html.ts';

/** A table whose cells carry the names of their columns, so that a narrow screen can stack them. */
export function table(
  caption: string,
  columns: readonly string[],
  rows: readonly Part[][],
  look: 'plain' | 'wide' = 'plain',
): Html {
  return html`<table${look === 'wide' && raw(' class="wide"')}>
${caption !== '' && html`<caption>${caption}</caption>`}
<thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => row(cells, columns))}</tbody>
</table>`;
}

function row(cells: readonly Part[], columns: readonly string[]): Html {
  const [head, ...others] = cells;
  const data = others.map((cell, i) => html`<td data-label="${columns[i + 1] ?? ''}">${cell}</td>`);
  return html`<tr><th scope="row">${head}</th>${data}</tr>\n`;
}

function shareOf(part: Figure, whole: Figure): string {
  const n = numberOf(part);
  const of = numberOf(whole);
  return percent(n === null || of === null || of === 0 ? null : n / of);
}

/** Where every offered request went: each in one bucket. */
export function outcomesTable(result: Result): Html {
  const { outcomes, rates } = result;
  const rows: Part[][] = [
    bucket('offered', outcomes.offered, outcomes),
    ['served within the SLO', inTime(result), figure(rates.goodput, percent)],
    bucket('completed', outcomes.completed, outcomes),
    breached(result),
    ['turned away', sumOf(outcomes.rejected, outcomes.expired), figure(rates.rejection, percent)],
    bucket(sub('rejected at the door'), outcomes.rejected, outcomes),
    bucket(sub('expired in the queue'), outcomes.expired, outcomes),
    ...codes(result),
    ...OTHERS.filter((name) => some(outcomes[name])).map((name) =>
      bucket(NAMES[name] ?? name, outcomes[name], outcomes),
    ),
  ];
  return html`${table('Requests', ['', 'requests', 'share of offered'], rows)}${noneOf(outcomes)}`;
}

/** Over replications the mean, whose interval is that of the share beside it. */
function inTime({ outcomes, rates }: Result): Html {
  const share = numberOf(rates.goodput);
  const offered = numberOf(outcomes.offered);
  return figure(
    share === null || offered === null ? null : Number((share * offered).toFixed(6)),
    count,
  );
}

function sub(name: Part): Html {
  return html`<span class="sub">${name}</span>`;
}

/** Of two counts; over replications the sum of the means, whose interval is not known. */
function sumOf(a: Figure, b: Figure): Html {
  return figure((numberOf(a) ?? 0) + (numberOf(b) ?? 0), count);
}

const OTHERS = ['failed', 'killed', 'abandoned', 'censored', 'undecided', 'unsent'] as const;

const NAMES: Partial<Record<keyof Outcomes, string>> = {
  censored: 'censored: in flight at the end',
  undecided: 'undecided: broke before a decision',
  unsent: 'unsent: too many in flight',
};

function bucket(name: Part, of: Figure, outcomes: Outcomes): Part[] {
  return [name, figure(of, count), shareOf(of, outcomes.offered)];
}

function some(of: Figure): boolean {
  return (numberOf(of) ?? 0) > 0;
}

function codes({ rejectedBy, outcomes }: Result): Part[][] {
  return Object.entries(rejectedBy).map(([code, n]) =>
    bucket(sub(html`of all turned away, by <code>${code}</code>`), n, outcomes),
  );
}

function breached({ outcomes, rates }: Result): Part[] {
  return [
    html`missed the SLO <small>share of the served</small>`,
    figure(outcomes.sloBreached, count),
    figure(rates.breach, percent),
  ];
}

function noneOf(outcomes: Outcomes): Html {
  const none = OTHERS.filter((name) => !some(outcomes[name]));
  return none.length === 0 ? html`` : html`<p class="note">None ${list(none, 'or')}.</p>`;
}

const TIMES: readonly (readonly [keyof Result & `${string}S`, string, string])[] = [
  ['responseS', 'response', 'completed, from the due instant'],
  ['serviceS', 'response from sending', 'completed: the wait for a slot is in it'],
  ['firstByteS', 'first byte', 'completed: the head of the answer'],
  ['ttftS', 'first token', 'completed: on any channel, reasoning too'],
  ['firstContentS', 'first content', 'completed: of the answer itself'],
  ['waitS', 'wait', 'granted a slot'],
  ['refusalS', 'refusal', 'turned away: how long they were kept'],
];

const WIRE_ONLY: ReadonlySet<string> = new Set(['firstByteS', 'firstContentS']);

/** Percentiles, each with the share of requests that it speaks for and how many lie beyond it. */
export function timesTable(result: Result): Html {
  const rows = TIMES.flatMap(([field, name, who]) => {
    const of = result[field] as Distribution | undefined;
    // Only a wire tells a byte, a token and content apart.
    if (of === undefined || (WIRE_ONLY.has(field) && !some(of.n))) return [];
    return [timesRow(html`${name} <small>${who}</small>`, of, result.outcomes.offered)];
  });
  return table('Times (s)', TIME_COLUMNS, rows, 'wide');
}

const TIME_COLUMNS = ['', 'requests', 'of offered', 'mean', 'p50', 'p95', 'p99', 'max'];

function timesRow(name: Part, of: Distribution, offered: Figure): Part[] {
  return [
    name,
    figure(of.n, count),
    shareOf(of.n, offered),
    figure(of.mean, short),
    figure(of.p50, short),
    html`${figure(of.p95, short)}${beyond(of, 0.95)}`,
    html`${figure(of.p99, short)}${beyond(of, 0.99)}`,
    figure(of.max, short),
  ];
}

function beyond({ n, p95 }: Distribution, p: number): Html {
  const total = numberOf(n);
  if (total === null || total < 1 || numberOf(p95) === null) return html``;
  const above = beyondQuantile(total, p);
  return html` <small class="beyond">${above === 0 ? 'none' : count(above)} beyond</small>`;
}

/** Who lost: the same shares for each class, where there are several. */
export function classTable(result: Result): Html {
  const classes = Object.entries(result.byClass);
  if (classes.length < 2) return html``;
  const rows = classes.map(([name, each]): Part[] => [
    name,
    figure(each.outcomes.offered, count),
    figure(each.rates.goodput, percent),
    figure(each.rates.rejection, percent),
    figure(each.rates.breach, percent),
    figure(each.responseS.p95, short),
    figure(each.waitS.p95, short),
    figure(each.refusalS.max, short),
  ]);
  return table('By class', CLASS_COLUMNS, rows, 'wide');
}

const CLASS_COLUMNS = [
  '',
  'offered',
  'served in time',
  'turned away',
  'served: missed SLO',
  'response p95 (s)',
  'wait p95 (s)',
  'longest refusal (s)',
];

/** What went wrong, in the words of whoever said it; nothing where nothing was said. */
export function messagesTable({ series: { messages = [] } }: PartialSeries): Html {
  if (messages.length === 0) return html``;
  const rows = messages.map(({ code, text, n }): Part[] => [
    html`${text} <small>${code}</small>`,
    count(n),
  ]);
  return table('What went wrong, in its own words', ['', 'requests'], rows);
}

/** Results of before messages were kept have none. */
interface PartialSeries {
  readonly series: Partial<Pick<Result['series'], 'messages'>>;
}

/** What the gate and the capacity did. */
export function gateTable(result: Result): Html {
  const { utilization, queueAgeS, attempts, tokens, wouldReject, failedBy } = result;
  const rows: Part[][] = [
    ['slots leased, mean over the run', figure(utilization.slots, percent)],
    ['busy computing, mean over the run', figure(utilization.busy, percent)],
    ['queue age, mean', figure(queueAgeS.mean, seconds)],
    ['queue age exceeded for 1 % of the time', figure(queueAgeS.p99, seconds)],
    ['queue age, greatest', figure(queueAgeS.max, seconds)],
  ];
  if (some(attempts.retries)) {
    rows.push(['attempts', figure(attempts.total, count)]);
    rows.push(['attempts per request sent', figure(attempts.amplification, short)]);
  }
  if (some(tokens.out)) rows.push(['tokens out', figure(tokens.out, count)]);
  if (some(tokens.wasted)) rows.push(['tokens wasted', figure(tokens.wasted, count)]);
  rows.push(...goneRows(result), ...preemptRows(result));
  for (const [code, n] of Object.entries(wouldReject)) {
    rows.push([html`would have been turned away by <code>${code}</code>`, figure(n, count)]);
  }
  for (const [code, n] of Object.entries(failedBy)) {
    rows.push([html`failed by <code>${code}</code>`, figure(n, count)]);
  }
  return table('Gate and capacity', ['', 'figure'], rows);
}

/** Work for callers who left; nothing where there was none. */
function goneRows({ callersGone }: Result): Part[][] {
  if (callersGone === undefined || !some(callersGone.slotS)) return [];
  return [
    ['slot time for callers who left', figure(callersGone.slotS, seconds)],
    ['of it, after they had left', figure(callersGone.afterS, seconds)],
    ['of all slot time', figure(callersGone.share, percent)],
  ];
}

/** What preempts cost; nothing where there were none. */
function preemptRows({ preempts, preemptsPerTask, lostToPreempts, tokens }: Result): Part[][] {
  if (!some(preempts)) return [];
  return [
    ['preempts', figure(preempts, count)],
    ['preempts per task, mean', figure(preemptsPerTask.mean, short)],
    ['preempts of one task, most', figure(preemptsPerTask.max, count)],
    ['requests lost to preempts', figure(lostToPreempts, count)],
    ['tokens redone by restarts', figure(tokens.redone, count)],
    ['redone, of all tokens worked', figure(tokens.redoneShare, percent)],
    ['wasted, of all tokens worked', figure(tokens.wastedShare, percent)],
    ['restart tokens, of refused restarts too', figure(tokens.restarted, count)],
  ];
}
