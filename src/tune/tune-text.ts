import { numberOf } from '../result/figure.ts';
import type { Figure } from '../result/types.ts';
import { LEAST_LOST } from './capacity-text.ts';
import { pc } from './recommend-parts.ts';
import { settingText } from './setting.ts';
import { meanCell, percentCell, shortNumber, textTable } from './text-table.ts';
import type { ScenarioFigures, TuneDocument } from './types.ts';

/** What `tune` prints: the first screen, then what it rests on. */
export function tuneText(document: TuneDocument): string {
  return [
    firstScreen(document),
    lossTable(document),
    ruleTable(document),
    sensitivityTable(document),
    loserTable(document),
    verificationTable(document),
    `${[...evidenceNote(document), ...document.notes].map((note) => `  ${note}`).join('\n')}\n`,
  ]
    .filter((block) => block !== '')
    .join('\n');
}

/** Where nobody arrived the first screen has said it. */
function evidenceNote({ evidence: { arrived, text } }: TuneDocument): string[] {
  return arrived ? [text] : [];
}

function firstScreen({ recommendation, scenarios }: TuneDocument): string {
  const { headline, label, lines } = recommendation;
  const names = scenarios.map(({ name }) => name).join(', ');
  const body = lines.map(({ name, text }) => `${name.padEnd(6)} ${text}\n`).join('');
  return `${headline}   [${label}]\n${names}\n${body}`;
}

function lossTable({ lossSplit }: TuneDocument): string {
  if (lossSplit === null) return '';
  const names = ['threshold', 'capacity', 'holds', 'retries', 'upstream'] as const;
  const isTooLong = (numberOf(lossSplit.tooLong) ?? 0) >= LEAST_LOST;
  const tooLong = ['  of it too long for the SLO', percentCell(lossSplit.tooLong)];
  const rows = names.flatMap((name) => {
    const row = [name, percentCell(lossSplit[name])];
    return name === 'capacity' && isTooLong ? [row, tooLong] : [row];
  });
  return textTable([[`lost of offered, ${lossSplit.scenario}`, '%'], ...rows]);
}

function ruleTable({ baselines, chosen, replications, recommendation }: TuneDocument): string {
  if (baselines.length === 0) return '';
  const isAlike = baselines.every(({ runsIn }) => runsIn.every((n) => n === replications));
  const names = new Set(baselines.flatMap((one) => one.byScenario.map(({ scenario }) => scenario)));
  const several = names.size > 1;
  const head = ['setting', 'turned away', 'late', 'goodput', 'wait p99 s', 'kept p95 s', 'allowed'];
  if (!isAlike) head.push('runs');
  const rowsOf = (
    title: string,
    of: readonly ScenarioFigures[],
    allowed: readonly boolean[],
    runs: readonly number[],
  ) =>
    of.map(({ scenario, figures }, s) => [
      several ? `${title} (${scenario})` : title,
      percentCell(figures.rejection),
      percentCell(figures.breach),
      percentCell(figures.goodput),
      seconds(figures.waitP99S),
      seconds(figures.refusalP95S),
      allowed[s] === true ? 'yes' : 'no',
      ...(isAlike ? [] : [String(runs[s] ?? '-')]),
    ]);
  const rows = baselines.flatMap(({ name, setting, byScenario, allowedIn, runsIn, atEdge }) => {
    const own = Object.keys(setting).length === 0 ? name : `${name}: ${settingText(setting)}`;
    return rowsOf(atEdge ? `${own} (end of its range)` : own, byScenario, allowedIn, runsIn);
  });
  const first =
    chosen === null
      ? []
      : rowsOf(
          `${recommendation.chosenIs}: ${settingText(chosen.setting)}`,
          chosen.byScenario,
          chosen.byScenario.map(() => true),
          chosen.byScenario.map(() => replications),
        );
  const runs = isAlike
    ? `${replications} replications (mean, 95 % interval)`
    : 'mean and 95 % interval of so many runs';
  return `shares in %, ${runs}\n${textTable([head, ...first, ...rows])}`;
}

function seconds(figure: Figure): string {
  return meanCell(figure, shortNumber);
}

/** The scenario that these figures are of, where there are several. */
function ofOne({ scenarios, chosen }: TuneDocument): string {
  return scenarios.length > 1 && chosen !== null ? ` (${chosen.binding})` : '';
}

function sensitivityTable(document: TuneDocument): string {
  const { sensitivity, recommendation } = document;
  if (sensitivity.length === 0) return '';
  // What is kept is the present setting: it is not compared with itself.
  const isKept = recommendation.action === 'keep';
  const rows = sensitivity.map(
    ({ change, advised, present, presentMore, regret, holds, notMade }) => [
      change,
      percentCell(advised.goodput),
      percentCell(advised.breach),
      ...(isKept
        ? []
        : [
            percentCell(present.goodput),
            presentMore === null ? '-' : (100 * presentMore.mean).toFixed(1),
          ]),
      regret === null ? '-' : belowText(regret),
      notMade === undefined ? (holds ? 'holds' : 'FAILS') : `NOT TRIED: ${notMade}`,
    ],
  );
  const head = [
    `if${ofOne(document)}`,
    'goodput',
    'late',
    ...(isKept ? [] : ['present goodput', `present - ${recommendation.chosenIs}`]),
    'below the best',
    '',
  ];
  return `${failsText(document)}\n${textTable([head, ...rows])}`;
}

/** What was tried there, how often, and by which limits it FAILS: the same under either objective. */
function failsText(document: TuneDocument): string {
  const { maxBreach, limits, fewReplications, recommendation, chosen } = document;
  const isChosen = recommendation.chosenIs !== 'best tried' && chosen !== null;
  const tried = isChosen ? settingText(chosen.setting) : 'the present setting, which is kept';
  const whose = maxBreach === null ? 'the default of --max-breach' : '--max-breach';
  return `${tried}, ${fewReplications} replications; below the best: less of offered in time than under the best allowed of a few that were tried; FAILS: over ${pc(limits.late)} of the served late (${whose}), or over ${pc(limits.below)} below it`;
}

/** What is let in beyond the condition on late ones can serve more than the best that keeps it. */
function belowText(regret: number): string {
  const points = Math.abs(100 * regret).toFixed(1);
  return regret < 0 && Number(points) > 0 ? `${points} above` : points;
}

function loserTable(document: TuneDocument): string {
  const { losers, recommendation } = document;
  if (losers.length === 0) return '';
  const rows = losers.map(({ group, chosen, present, noGate, floor, lost }) => [
    group,
    ...[chosen, present, noGate, floor].map(percentCell),
    lost ? 'LOSES' : '',
  ]);
  return textTable([
    [`goodput of${ofOne(document)}`, recommendation.chosenIs, 'present', 'no gate', 'floor', ''],
    ...rows,
  ]);
}

function verificationTable({ verification }: TuneDocument): string {
  if (verification.length === 0) return '';
  const rows = verification.flatMap(({ setting, role, figures, status }) =>
    figures.map(({ path, predicted, measured, inside }) => [
      `${role}: ${settingText(setting)}`,
      path,
      predicted === null ? '-' : `${predicted.map((x) => x.toFixed(3)).join(' to ')}`,
      measured === null ? '-' : measured.toFixed(3),
      inside === null ? status : inside ? 'inside' : 'OUTSIDE',
    ]),
  );
  return textTable([
    ['verified live', 'figure', 'predicted, 95 % in all rows', 'measured', ''],
    ...rows,
  ]);
}
