import { numberOf } from '../result/figure.ts';
import type { Figure } from '../result/types.ts';
import { LEAST_LOST } from './capacity-text.ts';
import { pc } from './recommend-parts.ts';
import { HOLDS } from './sensitivity.ts';
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
  const names = new Set(baselines.flatMap((one) => one.byScenario.map(({ scenario }) => scenario)));
  const several = names.size > 1;
  const head = ['setting', 'turned away', 'late', 'goodput', 'wait p99 s', 'kept p95 s', 'allowed'];
  const rowsOf = (title: string, of: readonly ScenarioFigures[], allowed: readonly boolean[]) =>
    of.map(({ scenario, figures }, s) => [
      several ? `${title} (${scenario})` : title,
      percentCell(figures.rejection),
      percentCell(figures.breach),
      percentCell(figures.goodput),
      seconds(figures.waitP99S),
      seconds(figures.refusalP95S),
      allowed[s] === true ? 'yes' : 'no',
    ]);
  const rows = baselines.flatMap(({ name, setting, byScenario, allowedIn, atEdge }) => {
    const own = Object.keys(setting).length === 0 ? name : `${name}: ${settingText(setting)}`;
    return rowsOf(atEdge ? `${own} (end of its range)` : own, byScenario, allowedIn);
  });
  const first =
    chosen === null
      ? []
      : rowsOf(
          `${recommendation.chosenIs}: ${settingText(chosen.setting)}`,
          chosen.byScenario,
          chosen.byScenario.map(() => true),
        );
  return `shares in %, ${replications} replications (mean, 95 % interval)\n${textTable([head, ...first, ...rows])}`;
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
  const is = recommendation.chosenIs;
  const rows = sensitivity.map(({ change, chosen, present, presentMore, regret, holds }) => [
    change,
    percentCell(chosen.goodput),
    percentCell(chosen.breach),
    percentCell(present.goodput),
    presentMore === null ? '-' : (100 * presentMore.mean).toFixed(1),
    regret === null ? '-' : belowText(regret),
    holds ? 'holds' : 'FAILS',
  ]);
  const head = [
    `if${ofOne(document)}`,
    'goodput',
    'late',
    'present goodput',
    `present - ${is}`,
    'below the best',
    '',
  ];
  return `${failsText(document)}\n${textTable([head, ...rows])}`;
}

/** What the last two columns are measured by: neither is told by the goodput that stands beside them. */
function failsText({ objective, maxBreach }: TuneDocument): string {
  const lost = objective === 'admit' ? 'unserved' : 'not served in time';
  const late = maxBreach === null ? '' : `over ${pc(maxBreach)} of the served late, or `;
  return `below the best: more of offered ${lost} than under the best allowed of a few that were tried; FAILS: ${late}over ${pc(HOLDS)} below it`;
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
