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
  const slots = await drawCharts(slotsCharts(document));
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

function conditionText(document: TuneDocument): string {
  const { objective, maxBreach, seed } = document;
  const aim =
    objective === 'admit'
      ? 'Aim: turn away as few as possible'
      : 'Aim: serve as many as possible within the SLO';
  const limit =
    maxBreach === null ? '' : ` while at most ${percent(maxBreach)} of the served miss the SLO`;
  return `${aim}${limit}. ${runsText(document)}, with common random numbers, seed ${seed}.`;
}

/** How often what was played: not all of it as often. */
function runsText({ replications: runs, fewReplications: few }: TuneDocument): string {
  return few === runs
    ? `${runs} runs of each setting`
    : `${runs} runs of each setting of what is tuned, of the present one and of no gate; ${few} of the other rules, in each changed world and of each number of slots`;
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

/** One for each scenario whose slots were counted, that of the advice first. */
function slotsCharts(document: TuneDocument): Chart[] {
  const { lossSplit, slotsNeeded, slotsElsewhere, scenarios } = document;
  const all = [{ scenario: lossSplit?.scenario ?? '', slotsNeeded }, ...slotsElsewhere];
  return all.flatMap((one, s) =>
    slotsChart(one.slotsNeeded, {
      id: s === 0 ? 'slots' : `slots${s}`,
      of: scenarios.length > 1 ? `${one.scenario}: ` : '',
    }),
  );
}

function slotsChart(
  slotsNeeded: TuneDocument['slotsNeeded'],
  { id, of }: { readonly id: string; readonly of: string },
): Chart[] {
  if (slotsNeeded === null || slotsNeeded.curve.length < 2) return [];
  const { curve, target, needed, under } = slotsNeeded;
  const place = curve.findIndex(({ slots }) => slots === needed);
  return [
    curveChart({
      id,
      title: `${of}Served within the SLO against slots`,
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
  const rowsOf = (
    own: string,
    of: readonly ScenarioFigures[],
    { notes, gain }: { notes: (s: number) => readonly string[]; gain: (s: number) => Part },
  ): Part[][] =>
    of.map(({ scenario, figures: f }, s) => [
      [own, ...bracketed([...(several ? [scenario] : []), ...notes(s)])].join(' '),
      figure(f.goodput, percent),
      figure(f.rejection, percent),
      figure(f.breach, percent),
      seconds(numberOf(f.waitP99S)),
      seconds(numberOf(f.refusalP95S)),
      gain(s),
    ]);
  const first =
    chosen === null
      ? []
      : rowsOf(`${recommendation.chosenIs}: ${settingText(chosen.setting)}`, chosen.byScenario, {
          notes: () => [],
          gain: () => '',
        });
  const rows = baselines.flatMap(({ name, setting, byScenario, allowedIn, gainIn, atEdge }) => {
    const own = Object.keys(setting).length === 0 ? name : `${name}: ${settingText(setting)}`;
    return rowsOf(own, byScenario, {
      notes: (s) => [
        ...(allowedIn[s] === true ? [] : ['not allowed']),
        ...(atEdge ? ['end of its range'] : []),
      ],
      gain: (s) => {
        const gain = gainIn[s] ?? null;
        return gain === null ? NO_DATA : points(gain);
      },
    });
  });
  return html`<div class="scroll">${table('', head, [...first, ...rows], 'wide')}</div>`;
}

function bracketed(notes: readonly string[]): string[] {
  return notes.length === 0 ? [] : [`(${notes.join(', ')})`];
}

function points({ mean, lo, hi }: { mean: number; lo: number; hi: number }): string {
  const write = (value: number) => (100 * value).toFixed(1).replace('-', '\u2212');
  return `${write(mean)} points (${write(lo)} to ${write(hi)})`;
}

function sensitivitySection(document: TuneDocument): Html {
  const { sensitivity, chosen, recommendation, scenarios, lossSplit, fewReplications } = document;
  if (sensitivity.length === 0) return html``;
  // What is kept is the present setting: it is not compared with itself.
  const isKept = recommendation.action === 'keep';
  const rows = sensitivity.map(
    ({ change, advised, present, presentMore, regret, holds, notMade }): Part[] => [
      change,
      figure(advised.goodput, percent),
      figure(advised.breach, percent),
      ...(isKept
        ? []
        : [figure(present.goodput, percent), presentMore === null ? NO_DATA : points(presentMore)]),
      regret === null ? NO_DATA : belowText(regret),
      notMade === undefined
        ? holds
          ? 'holds'
          : html`<strong>fails</strong>`
        : `not tried: ${notMade}`,
    ],
  );
  const head = [
    'if',
    'in time',
    'late',
    ...(isKept ? [] : ['present, in time', `present - ${recommendation.chosenIs}`]),
    'below the best tried',
    '',
  ];
  const isChosen = recommendation.chosenIs !== 'best tried' && chosen !== null;
  const setting = isChosen ? settingText(chosen.setting) : 'The present setting, which is kept';
  const name = chosen?.binding ?? lossSplit?.scenario;
  const where = scenarios.length > 1 && name !== undefined ? ` in ${name}` : '';
  const caption = `${setting}${where}: ${fewReplications} runs in each world`;
  return html`<section><h2>If the world is not as described</h2><div class="scroll">${table(caption, head, rows, 'wide')}</div>
<p class="note">${failsText(document)}</p></section>`;
}

/** By which limits it fails: the same under either objective. */
function failsText({ maxBreach, limits }: TuneDocument): string {
  const whose = maxBreach === null ? 'the default of --max-breach' : '--max-breach';
  return `Fails: more than ${percent(limits.late)} of the served late (${whose}), or more than ${percent(limits.below)} of offered less in time than under the best allowed of a few that were tried.`;
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
