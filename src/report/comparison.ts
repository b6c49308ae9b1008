import { type ComparedFigure, compareResults } from '../result/compare.ts';
import { figureAt, numberOf } from '../result/figure.ts';
import type { Result } from '../result/types.ts';
import { MOST_RUNS, overlayCharts, type Run } from './charts/overlay.ts';
import { drawCharts, pageDocument } from './document.ts';
import { environmentSection, gateLine, healthSection, provenance } from './facts.ts';
import { figure } from './figure.ts';
import { count, list, percent, roughPercent, seconds, short, type Write } from './format.ts';
import { whatHappened } from './headline.ts';
import { type Html, html, type Part } from './html.ts';
import { labelsOf } from './labels.ts';
import { chartSection, type PageOptions, topLine } from './parts.ts';
import { table } from './tables.ts';

interface Line {
  readonly path: string;
  readonly name: string;
  readonly write: Write;
  readonly unit: 'share' | 'count' | 's';
  /** Left out where it is 0 in every run. */
  readonly optional?: true;
}

const LINES: readonly Line[] = [
  {
    path: 'rates.goodput',
    name: 'served within the SLO, of offered',
    write: percent,
    unit: 'share',
  },
  { path: 'rates.rejection', name: 'turned away, of offered', write: percent, unit: 'share' },
  { path: 'rates.breach', name: 'missed the SLO, of the served', write: percent, unit: 'share' },
  { path: 'outcomes.offered', name: 'offered', write: count, unit: 'count' },
  { path: 'outcomes.rejected', name: 'rejected at the door', write: count, unit: 'count' },
  { path: 'outcomes.expired', name: 'expired in the queue', write: count, unit: 'count' },
  { path: 'outcomes.sloBreached', name: 'missed the SLO', write: count, unit: 'count' },
  { path: 'responseS.n', name: 'completed: the responses below', write: count, unit: 'count' },
  { path: 'responseS.p50', name: 'response p50', write: seconds, unit: 's' },
  { path: 'responseS.p95', name: 'response p95', write: seconds, unit: 's' },
  { path: 'responseS.p99', name: 'response p99', write: seconds, unit: 's' },
  { path: 'waitS.p95', name: 'wait p95', write: seconds, unit: 's' },
  { path: 'refusalS.max', name: 'longest refusal', write: seconds, unit: 's' },
  { path: 'queueAgeS.p99', name: 'queue age exceeded 1 % of the time', write: seconds, unit: 's' },
  { path: 'utilization.slots', name: 'slots leased', write: percent, unit: 'share' },
  { path: 'utilization.busy', name: 'busy computing', write: percent, unit: 'share' },
  { path: 'preempts', name: 'preempts', write: count, unit: 'count', optional: true },
  {
    path: 'preemptsPerTask.mean',
    name: 'preempts per task',
    write: short,
    unit: 'count',
    optional: true,
  },
  {
    path: 'lostToPreempts',
    name: 'requests lost to preempts',
    write: count,
    unit: 'count',
    optional: true,
  },
  {
    path: 'tokens.redoneShare',
    name: 'redone by restarts, of all tokens worked',
    write: percent,
    unit: 'share',
    optional: true,
  },
];

/** Several runs beside each other; differences are from the first. */
export async function comparisonPage(
  results: readonly Result[],
  untrusted: readonly Result[],
  options: PageOptions,
): Promise<string> {
  const labels = labelsOf(results);
  const runs = results.map((result, i) => ({ result, label: labels[i] ?? '' }));
  const charts = await drawCharts(overlayCharts(runs));
  const name = options.title ?? list([...new Set(results.map((each) => each.scenario.name))]);
  const headline = bestServed(runs);
  const body = html`${topLine(results, name, `${results.length} runs compared`)}
<main>
<h1>${headline}</h1>
<p class="happened">${fairness(results)}</p>
${untrusted.length > 0 && leftOut(untrusted)}
<p class="source">${[...new Set(results.map(provenance))].join(' ')}</p>
<section><h2>Figures</h2>${figuresTable(runs)}</section>
${chartSection('Charts', charts)}
${results.length > MOST_RUNS && html`<p class="note">The charts show the first ${MOST_RUNS} runs.</p>`}
<section><h2>What happened in each</h2><dl class="steps">${runs.map(
    ({ label, result }) =>
      html`<dt>${label}</dt><dd>${whatHappened(result)}<br><small>Gate: ${gateLine(result)}.</small></dd>`,
  )}</dl></section>
${runs.map(({ label, result }) => html`<details><summary>Soundness, seed and environment: ${label}</summary>${healthSection(result)}${environmentSection(result)}</details>`)}
</main>`;
  return pageDocument({ title: `${name}: ${headline}`, body, charts, maker: options.maker });
}

/** What the figures say, not what to do. */
function bestServed(runs: readonly Run[]): string {
  const shares = runs.map(({ label, result }) => ({
    label,
    share: numberOf(result.rates.goodput),
  }));
  const known = shares.flatMap(({ label, share }) => (share === null ? [] : [{ label, share }]));
  const [best, ...others] = known.sort((a, b) => b.share - a.share);
  if (best === undefined) return 'No request arrived in any run, so there is nothing to compare.';
  const rest = others.map(({ label, share }) => `${roughPercent(share)} with ${label}`);
  const most = `${roughPercent(best.share)} of offered served within the SLO with ${best.label}`;
  return rest.length === 0 ? `${most}.` : `${most}; ${list(rest)}.`;
}

/** Whether like is compared with like, and whether chance could explain it. */
function fairness(results: readonly Result[]): string {
  const same = new Set(results.map((each) => each.schedule.digest)).size === 1;
  const arrivals = same
    ? 'All met the same arrivals.'
    : 'They met different arrivals, so a difference may be that of the arrivals.';
  const single = results.every((each) => each.replications === 1);
  return single
    ? `${arrivals} One run each: a small difference may be chance.`
    : `${arrivals} Figures of several runs stand with their 95 % interval and the band of the runs.`;
}

function leftOut(untrusted: readonly Result[]): Html {
  const names = untrusted.map((each) => `${each.scenario.name} (seed ${each.seed})`);
  return html`<p>Left out, because the generator did not apply the load that was asked for: ${list(names)}.</p>`;
}

function figuresTable(runs: readonly Run[]): Html {
  const compared = new Map(
    compareResults(runs.map(({ result }) => result)).map((each) => [each.path, each]),
  );
  const rows = LINES.flatMap((line): Part[][] => {
    const at = compared.get(line.path);
    if (at === undefined || at.values.every((value) => isNothing(value, line))) return [];
    return [[line.name, ...runs.map(({ result }, i) => cell(line, result, at, i))]];
  });
  return html`${table('', ['', ...runs.map(({ label }) => label)], rows, 'wide')}
<p class="note">Small figures: the difference from the first run, in points where it is a share.</p>`;
}

function isNothing(value: number | null, { optional }: Line): boolean {
  return value === null || (optional === true && value === 0);
}

function cell({ path, write, unit }: Line, result: Result, at: ComparedFigure, i: number): Html {
  const value = figure(figureAt(result, path) ?? at.values[i] ?? null, write);
  const by = at.differences[i] ?? null;
  if (i === 0 || by === null) return value;
  const band = at.withinBand[i] === true ? ', within the band' : '';
  return html`${value} <small class="beyond">${difference(by, unit)}${band}</small>`;
}

function difference(by: number, unit: Line['unit']): string {
  if (by === 0) return 'same';
  const size = Math.abs(by);
  const texts = { share: `${short(100 * size)} points`, s: seconds(size), count: count(size) };
  return `${by > 0 ? '+' : '\u2212'}${texts[unit]}`;
}
