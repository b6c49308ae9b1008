import { numberOf } from '../result/figure.ts';
import { bareValue, valueWithUnit } from '../result/setting-value.ts';
import type { Figure } from '../result/types.ts';
import type { SweepDocument, SweepSetting } from '../tune/types.ts';
import { cadenceCharts } from './cadence.ts';
import type { Chart, Ink } from './chart.ts';
import { comparedOf } from './compared.ts';
import { type Curve, type CurveSeries, curveChart } from './curve.ts';
import { drawCharts, pageDocument } from './document.ts';
import { figure } from './figure.ts';
import { count, percent, seconds, short } from './format.ts';
import { type Html, html } from './html.ts';
import { chartSection } from './parts.ts';
import { pointsOf } from './points.ts';
import { axisTitle, pathText, settingText } from './setting-text.ts';
import { sweepSummary } from './sweep-headline.ts';
import { table } from './tables.ts';

type Read = (setting: SweepSetting) => Figure;

interface Line {
  readonly label: string;
  readonly ink: Ink;
  readonly of: Read;
}

const RATES: readonly Line[] = [
  {
    label: 'served within the SLO, of offered',
    ink: 'admitted',
    of: (s) => s.figures.rates.goodput,
  },
  { label: 'turned away, of offered', ink: 'rejected', of: (s) => s.figures.rates.rejection },
  { label: 'missed the SLO, of the served', ink: 'late', of: (s) => s.figures.rates.breach },
];
const TIMES: readonly Line[] = [
  { label: 'response p95', ink: 'admitted', of: (s) => s.figures.responseS.p95 },
  { label: 'response p99', ink: 'late', of: (s) => s.figures.responseS.p99 },
  { label: 'wait p99', ink: 'age', of: (s) => s.figures.waitS.p99 },
];
const POOL: readonly Line[] = [
  { label: 'slots leased', ink: 'slots', of: (s) => s.figures.utilization.slots },
  { label: 'busy computing', ink: 'busy', of: (s) => s.figures.utilization.busy },
];

/** A sweep as one HTML file: the figures of every setting against the value that was tried. */
export async function renderSweepPage(document: SweepDocument): Promise<string> {
  const { scenario, notes } = document;
  const charts = await drawCharts(chartsOf(document));
  const cadence = await drawCharts(cadenceCharts(comparedOf(document).document));
  const { headline, evidence } = sweepSummary(document);
  const body = html`<header class="top"><p><b>${scenario.name}</b></p><p class="badges"><strong class="badge">${badgeOf(document)}</strong></p><p>${document.settings.length} settings on the same arrivals</p></header>
<main><h1>${headline}</h1>
${evidence.map((each) => html`<p class="evidence">${each}</p>`)}
<p class="source">${sourceOf(document)}</p>
${notes.map((note) => html`<p class="note">${note}</p>`)}
${cadence.length > 0 && chartSection('Waste against cadence', cadence)}
${chartSection('Against the setting', charts)}
<section><h2>Figures</h2>${settingsTable(document)}${preemptsTable(document)}</section>
</main>`;
  return pageDocument({
    title: `${scenario.name}: ${headline}`,
    body,
    charts: [...cadence, ...charts],
  });
}

function badgeOf({ origin }: SweepDocument): string {
  if (origin.engine === 'sim') return 'SIMULATED';
  return origin.target === 'stub' ? 'STUB' : 'ENDPOINT';
}

function sourceOf({ origin, replications, seed, scenario }: SweepDocument): string {
  const played =
    origin.engine === 'sim' ? 'Played in virtual time; not verified live.' : 'Played for real.';
  const runs =
    replications > 1
      ? `${count(replications)} runs of each setting with common random numbers: mean and 95 % interval.`
      : 'One run of each setting: a small difference may be chance.';
  return `${played} ${runs} Seed ${seed}, SLO ${scenario.sloS} s, ${scenario.slots} slots unless swept.`;
}

function chartsOf(document: SweepDocument): Chart[] {
  const [one, ...more] = document.axes;
  if (one === undefined) return [];
  if (more.length === 0) {
    const plain = linesAgainst(document, one.path, one.values);
    return [
      plain('rates', 'What became of the requests', 'share', 'share', RATES),
      plain('times', 'Times of the completed', 'seconds', 'number', TIMES),
      plain('pool', 'The pool', 'share of the slots', 'share', POOL),
    ];
  }
  return RATES.map((line, i) => gridChart(document, line, `grid${i}`));
}

function linesAgainst({ settings }: SweepDocument, path: string, values: readonly unknown[]) {
  return (
    id: string,
    title: string,
    yTitle: string,
    kind: Curve['kind'],
    lines: readonly Line[],
  ): Chart =>
    curveChart({
      ...{ id, title, yTitle, kind },
      notes: [],
      xTitle: axisTitle(path),
      ticks: values.map((value) => bareValue(path, value)),
      series: lines.map(({ label, ink, of }) => ({ label, ink, points: pointsOf(settings, of) })),
    });
}

const RUN_INKS: readonly Ink[] = ['run0', 'run1', 'run2', 'run3', 'run4', 'run5'];

/** The fastest axis across, a line for each combination of the others. */
function gridChart({ axes, settings }: SweepDocument, line: Line, id: string): Chart {
  const across = axes.at(-1);
  const width = across?.values.length ?? 1;
  const series = RUN_INKS.flatMap((ink, i): CurveSeries[] => {
    const row = settings.slice(i * width, (i + 1) * width);
    const [first] = row;
    if (first === undefined || across === undefined) return [];
    const { [across.path]: _across, ...others } = first.setting;
    return [{ ink, label: settingText(others), points: pointsOf(row, line.of) }];
  });
  const left = settings.length / width - series.length;
  return curveChart({
    id,
    title: line.label,
    notes: left > 0 ? [`The table has ${left} more lines.`] : [],
    xTitle: axisTitle(across?.path ?? ''),
    ticks: (across?.values ?? []).map((value) => bareValue(across?.path ?? '', value)),
    yTitle: 'share',
    kind: 'share',
    series,
  });
}

/**
 * In two tables, each of which a window of 700 pixels shows whole: a column that is cut off is read
 * as if there were none.
 */
function settingsTable({ axes, settings }: SweepDocument): Html {
  const first = axes.map(({ path }) => pathText(path)).join(', ');
  const nameOf = (setting: SweepSetting['setting']) =>
    axes.map(({ path }) => valueWithUnit(path, setting[path], '\u00a0')).join(', ');
  const requests = settings.map(({ setting, figures: f }) => [
    nameOf(setting),
    count(numberOf(f.outcomes.offered)),
    figure(f.rates.rejection, percent),
    figure(f.rates.breach, percent),
    figure(f.rates.goodput, percent),
  ]);
  const times = settings.map(({ setting, figures: f }) => [
    nameOf(setting),
    figure(f.responseS.p95, seconds),
    seconds(numberOf(f.responseS.p99)),
    seconds(numberOf(f.waitS.p99)),
    percent(numberOf(f.utilization.slots)),
    percent(numberOf(f.utilization.busy)),
  ]);
  const rates = ['offered', 'turned away', 'missed the SLO', 'in time, of offered'];
  const others = ['response p95', 'response p99', 'wait p99', 'slots leased', 'busy'];
  return html`<div class="scroll">${table('The requests', [first, ...rates], requests, 'wide')}</div>
<div class="scroll">${table('Times of the completed, and the pool', [first, ...others], times, 'wide')}</div>`;
}

/** What preempts cost under each setting; nothing where there were none. */
function preemptsTable({ axes, settings }: SweepDocument): Html {
  if (!settings.some(({ figures }) => (numberOf(figures.preempts) ?? 0) > 0)) return html``;
  const head = [
    axes.map(({ path }) => pathText(path)).join(', '),
    'preempts',
    'per task',
    'tokens redone',
    'redone, of all worked',
    'wasted, of all worked',
  ];
  const rows = settings.map(({ setting, figures: { preempts, preemptsPerTask, tokens } }) => [
    axes.map(({ path }) => valueWithUnit(path, setting[path], '\u00a0')).join(', '),
    figure(preempts, count),
    figure(preemptsPerTask.mean, short),
    figure(tokens.redone, count),
    figure(tokens.redoneShare, percent),
    figure(tokens.wastedShare, percent),
  ]);
  return html`<div class="scroll">${table('Preempts', head, rows, 'wide')}</div>`;
}
