import { numberOf } from '../result/figure.ts';
import { bareValue, isOff } from '../result/setting-value.ts';
import type { Figure } from '../result/types.ts';
import type { ScenarioFigures, TriedSetting, TuneDocument, Weighed } from '../tune/types.ts';
import type { Chart, Ink } from './chart.ts';
import { type Curve, type CurveSeries, curveChart, type Named } from './curve.ts';
import { drawCharts, pageDocument } from './document.ts';
import { figure } from './figure.ts';
import { NO_DATA, percent, seconds } from './format.ts';
import { type Html, html, type Part } from './html.ts';
import { chartSection } from './parts.ts';
import { pointsOf } from './points.ts';
import { axisTitle, settingText } from './setting-text.ts';
import { table } from './tables.ts';

/** A recommendation as one HTML file: the action first, then the evidence, no chart above it. */
export async function renderTunePage(document: TuneDocument): Promise<string> {
  const { recommendation, scenarios, evidence, notes } = document;
  const { headline, label, lines } = recommendation;
  const names = scenarios.map(({ name }) => name).join(', ');
  const curves = await drawCharts(curvesOf(document));
  const slots = await drawCharts(slotsChart(document));
  const body = html`<header class="top"><p><b>${names}</b></p><p class="badges"><strong class="badge">${badgeOf(document)}</strong></p><p>${label}</p></header>
<main><section class="verdict"><h1>${headline}</h1>
<dl class="steps">${lines.map(({ name, text }) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl></section>
<p class="source">${evidence.text}. ${conditionText(document)}</p>
${notes.map((note) => html`<p class="note">${note}</p>`)}
${document.lossSplit !== null && html`<section><h2>Where the loss goes</h2>${lossTable(document)}</section>`}
${curves.length > 0 && chartSection('The settings that were tried', curves)}
${
  document.baselines.length > 0 &&
  html`<section><h2>Which rule, at what cost</h2>${ruleTable(document)}
<p class="note">Each rule at its best value, the other rules off. Wait p99 is what the rule bounds; turned away is what that costs. Kept: how long the turned away waited for their refusal.</p></section>`
}
${slots.length > 0 && chartSection('Slots', slots)}
${sensitivitySection(document)}
${losersSection(document)}
${verificationSection(document)}
</main>`;
  return pageDocument({
    title: `${names}: ${headline}`,
    body,
    charts: [...curves, ...slots],
  });
}

function badgeOf({ origin, verification }: TuneDocument): string {
  if (verification.some(({ target }) => target === 'stub')) return 'SIMULATED + STUB';
  return origin.simulated ? 'SIMULATED' : 'OBSERVED';
}

function conditionText({ objective, maxBreach, replications, seed }: TuneDocument): string {
  const aim =
    objective === 'admit'
      ? 'Aim: turn away as few as possible'
      : 'Aim: serve as many as possible within the SLO';
  const limit =
    maxBreach === null ? '' : ` while at most ${percent(maxBreach)} of the served miss the SLO`;
  return `${aim}${limit}. ${replications} runs of each setting with common random numbers, seed ${seed}.`;
}

const LOSSES = {
  threshold: 'to the threshold: what the best setting on the same arrivals would save',
  capacity: 'to missing capacity: what is left when nothing else is wrong',
  holds: 'to holds: slots kept longer than the answer takes',
  retries: 'to retries',
  upstream: 'to upstream failures and slow-downs',
} as const;

function lossTable({ lossSplit }: TuneDocument): Html {
  if (lossSplit === null) return html``;
  const tooLong: Part[] = [
    'of that, to services that alone outlast the SLO: no slots serve them in time',
    figure(lossSplit.tooLong, percent),
  ];
  const rows = Object.entries(LOSSES).flatMap(([name, text]): Part[][] => {
    const row: Part[] = [text, figure(lossSplit[name as keyof typeof LOSSES], percent)];
    const isPart = name === 'capacity' && (numberOf(lossSplit.tooLong) ?? 0) > 0;
    return isPart ? [row, tooLong] : [row];
  });
  const caption = `${lossSplit.scenario}: the present setting serves ${percent(lossSplit.goodput)} of offered in time`;
  return table(caption, ['lost', 'share of offered'], rows);
}

type Read = (figures: Weighed) => Figure;

const RATES: readonly { readonly label: string; readonly ink: Ink; readonly of: Read }[] = [
  { label: 'served within the SLO, of offered', ink: 'admitted', of: (f) => f.goodput },
  { label: 'turned away, of offered', ink: 'rejected', of: (f) => f.rejection },
  { label: 'missed the SLO, of the served', ink: 'late', of: (f) => f.breach },
];

/** One chart for each scenario, where a single parameter was tuned. */
function curvesOf(document: TuneDocument): Chart[] {
  const [param, ...more] = document.params;
  if (param === undefined || more.length > 0 || !document.evidence.arrived) return [];
  return document.scenarios.map(({ name }, s) => {
    const figuresAt = (tried: TriedSetting) => figuresIn(tried.byScenario, name);
    const series = RATES.map(
      ({ label, ink, of }): CurveSeries => ({
        label,
        ink,
        points: pointsOf(document.tried, (tried) => {
          const figures = figuresAt(tried);
          return figures === undefined ? null : of(figures);
        }),
      }),
    );
    return curveChart({
      id: `tried${s}`,
      title: name,
      notes: ['Only the settings that were tried; closer together where it matters.'],
      xTitle: axisTitle(param.path),
      ticks: document.tried.map(({ setting }) => bareValue(param.path, setting[param.path])),
      ...numbersOf(param.path, document.tried),
      yTitle: 'share',
      kind: 'share',
      series,
      ...flatOf(document, param.path),
      limits:
        document.maxBreach === null
          ? []
          : [{ at: document.maxBreach, label: `late, allowed ${percent(document.maxBreach)}` }],
    });
  });
}

/** None where a value is no number, or turns the rule off. */
function numbersOf(path: string, tried: readonly TriedSetting[]): Pick<Curve, 'xs'> {
  const values = tried.map(({ setting }) => setting[path]);
  const xs = values.filter(
    (value): value is number => typeof value === 'number' && !isOff(path, value),
  );
  return xs.length === values.length ? { xs } : {};
}

function figuresIn(of: readonly ScenarioFigures[], name: string): Weighed | undefined {
  return of.find(({ scenario }) => scenario === name)?.figures;
}

function flatOf(
  { chosen, tried, recommendation }: TuneDocument,
  path: string,
): Pick<Curve, 'flat' | 'marks'> {
  if (chosen === null) return {};
  const at = (value: unknown) => tried.findIndex(({ setting }) => setting[path] === value);
  const region = chosen.flatRegion[path];
  const marks: Named[] = [
    {
      at: at(chosen.setting[path]),
      label: `${recommendation.chosenIs} ${settingText(chosen.setting)}`,
    },
  ];
  return region === undefined ? { marks } : { marks, flat: [at(region[0]), at(region[1])] };
}

const GATES = {
  present: 'With the present setting',
  chosen: 'With the chosen setting',
  'no rule': 'With no rule',
} as const;

function slotsChart({ slotsNeeded }: TuneDocument): Chart[] {
  if (slotsNeeded === null || slotsNeeded.curve.length < 2) return [];
  const { curve, target, needed, under } = slotsNeeded;
  const place = curve.findIndex(({ slots }) => slots === needed);
  return [
    curveChart({
      id: 'slots',
      title: 'Served within the SLO against slots',
      notes: [`${GATES[under]}; only the numbers that were tried.`],
      xTitle: 'slots',
      ticks: curve.map(({ slots }) => String(slots)),
      xs: curve.map(({ slots }) => slots),
      yTitle: 'share of offered',
      kind: 'share',
      series: [
        {
          ink: 'admitted',
          label: 'served within the SLO',
          points: pointsOf(curve, ({ goodput }) => goodput),
        },
      ],
      marks: place < 0 ? [] : [{ at: place, label: `${needed} slots` }],
      limits: [{ at: target, label: `target ${percent(target)}` }],
    }),
  ];
}

function ruleTable({ baselines, chosen, recommendation }: TuneDocument): Html {
  const head = [
    'setting',
    'in time',
    'turned away',
    'late',
    'wait p99',
    'kept p95',
    `${recommendation.chosenIs} serves more`,
  ];
  const several = (baselines[0]?.byScenario.length ?? 0) > 1;
  const rowsOf = (name: string, of: readonly ScenarioFigures[], gain: Part): Part[][] =>
    of.map(({ scenario, figures: f }) => [
      several ? `${name} (${scenario})` : name,
      figure(f.goodput, percent),
      figure(f.rejection, percent),
      figure(f.breach, percent),
      seconds(numberOf(f.waitP99S)),
      seconds(numberOf(f.refusalP95S)),
      gain,
    ]);
  const first =
    chosen === null
      ? []
      : rowsOf(`${recommendation.chosenIs}: ${settingText(chosen.setting)}`, chosen.byScenario, '');
  const rows = baselines.flatMap(({ name, setting, byScenario, allowed, gain, atEdge }) => {
    const own = Object.keys(setting).length === 0 ? name : `${name}: ${settingText(setting)}`;
    const notes = [...(allowed ? [] : ['not allowed']), ...(atEdge ? ['end of its range'] : [])];
    const label = notes.length === 0 ? own : `${own} (${notes.join(', ')})`;
    return rowsOf(label, byScenario, gain === null ? NO_DATA : points(gain));
  });
  return html`<div class="scroll">${table('', head, [...first, ...rows], 'wide')}</div>`;
}

function points({ mean, lo, hi }: { mean: number; lo: number; hi: number }): string {
  const write = (value: number) => (100 * value).toFixed(1).replace('-', '\u2212');
  return `${write(mean)} points (${write(lo)} to ${write(hi)})`;
}

function sensitivitySection({ sensitivity, chosen, recommendation }: TuneDocument): Html {
  if (sensitivity.length === 0 || chosen === null) return html``;
  const rows = sensitivity.map(
    ({ change, chosen: then, present, presentMore, regret, holds }): Part[] => [
      change,
      figure(then.goodput, percent),
      figure(then.breach, percent),
      figure(present.goodput, percent),
      presentMore === null ? NO_DATA : points(presentMore),
      regret === null ? NO_DATA : belowText(regret),
      holds ? 'holds' : html`<strong>fails</strong>`,
    ],
  );
  const head = [
    'if',
    'in time',
    'late',
    'present, in time',
    `present - ${recommendation.chosenIs}`,
    'below the best tried',
    '',
  ];
  return html`<section><h2>If the world is not as described</h2><div class="scroll">${table(`${settingText(chosen.setting)} in ${chosen.binding}`, head, rows, 'wide')}</div></section>`;
}

/** What is let in beyond the condition on late ones can serve more than the best that keeps it. */
function belowText(regret: number): string {
  const points = Math.abs(100 * regret).toFixed(1);
  return `${points} points${regret < 0 && Number(points) > 0 ? ' above' : ''}`;
}

function losersSection({ losers, recommendation }: TuneDocument): Html {
  if (losers.length === 0) return html``;
  const rows = losers.map(({ group, chosen, present, noGate, floor, lost }): Part[] => [
    group,
    percent(chosen),
    percent(present),
    percent(noGate),
    percent(floor),
    lost ? html`<strong>loses</strong>` : '',
  ]);
  const head = ['goodput of', recommendation.chosenIs, 'present', 'no gate', 'floor', ''];
  return html`<section><h2>Who pays</h2>${table('', head, rows, 'wide')}<p class="note">Sizes are thirds of the arrivals by service time. A setting that takes a group below its floor is refused.</p></section>`;
}

function verificationSection({ verification }: TuneDocument): Html {
  if (verification.length === 0) return html``;
  const rows = verification.flatMap(({ setting, role, figures, status }) =>
    figures.map(({ path, predicted, measured, inside }): Part[] => [
      `${role}: ${settingText(setting) || 'as it is'}, ${path}`,
      predicted === null ? NO_DATA : `${write(path, predicted[0])} to ${write(path, predicted[1])}`,
      write(path, measured),
      inside === null ? status : inside ? 'inside' : html`<strong>outside</strong>`,
    ]),
  );
  const head = ['figure', 'predicted: 95 % of runs inside all rows', 'measured', ''];
  return html`<section><h2>Verified live</h2>${table('', head, rows)}</section>`;
}

function write(path: string, value: number | null): string {
  return path.startsWith('rates.') ? percent(value) : seconds(value);
}
