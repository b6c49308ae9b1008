/** What the texts of a recommendation are made of. */
import type { Figure } from '../result/types.ts';
import type { ShortSlo } from '../scenario/short-slo.ts';
import type { Scenario } from '../scenario/types.ts';
import type { GateAdvice } from './gates.ts';
import { RULES, ruleAt, rulesOn, settingText, valueAt } from './setting.ts';
import type { Recommendation, ScenarioFigures, TuneDocument, Weighed } from './types.ts';

/** All of the document but what is made from it. */
export type Draft = Omit<TuneDocument, 'recommendation'> & {
  /** Whether the present setting is the one that is chosen. */
  readonly keep: boolean;
  /** Where no service of the scenario that is told of keeps its SLO. */
  readonly shortSlo: ShortSlo | undefined;
  /** The gates of the scenarios, and what becomes of each. */
  readonly gates: readonly GateAdvice[];
  /** Requests of a run of the scenario that binds, in the mean. */
  readonly offered: number;
};
export type Line = Recommendation['lines'][number];

export function line(name: string, text: string): Line {
  return { name, text };
}

/** Whether there are several scenarios, so that it is to be said of which one a figure is. */
export function isOfSeveral({ scenarios }: Pick<Draft, 'scenarios'>): boolean {
  return scenarios.length > 1;
}

/** `rush: ` before figures of one of several scenarios. */
export function ofText(draft: Pick<Draft, 'scenarios'>, name: string): string {
  return isOfSeveral(draft) ? `${name}: ` : '';
}

/** ` in rush` behind them. */
export function inText(draft: Pick<Draft, 'scenarios'>, name: string): string {
  return isOfSeveral(draft) ? ` in ${name}` : '';
}

/** The lines whose figures are all of the scenario that the advice is told of. */
const OF_ONE: ReadonlySet<string> = new Set(['NOW', 'COST', 'STILL', 'RISK', 'WAIT']);

/** With the name of that scenario before these lines, where there are several. */
export function namedLines(draft: Pick<Draft, 'scenarios'>, name: string, lines: readonly Line[]) {
  return lines.map((one) =>
    OF_ONE.has(one.name) ? { ...one, text: `${ofText(draft, name)}${one.text}` } : one,
  );
}

/** The name of a rule without the gate in front of it. */
export function bare(path: string): string {
  return path.replace(/^gate\./, '');
}

export function bindingOf(
  of: { readonly byScenario: readonly ScenarioFigures[] } | undefined,
  name: string,
): Weighed | undefined {
  return of?.byScenario.find(({ scenario }) => scenario === name)?.figures;
}

/** The rules of the gate as it is, and what is tuned beside them, by name. */
export function presentText({ params }: Pick<Draft, 'params'>, scenario: Scenario): string {
  const rules = RULES.filter((rule) => scenario.gate[rule] !== null).map((rule) => `gate.${rule}`);
  const others = params.map(({ path }) => path).filter((path) => ruleAt(path) === undefined);
  const paths = [...others, ...rules];
  // Rules on sessions and restarts are named where there are no others: with one on, no gate is without a rule.
  if (paths.length === 0) paths.push(...Object.keys(rulesOn(scenario)));
  if (paths.length === 0) return 'THE PRESENT GATE, WITHOUT A RULE';
  return settingText(Object.fromEntries(paths.map((path) => [path, valueAt(scenario, path)])));
}

/** Scenarios whose gate keeps what it has beside others that change. */
export function keptNames({ gates, keep }: Pick<Draft, 'gates' | 'keep'>): string[] {
  const kept = keep ? [] : gates.filter(({ action }) => action === 'keep');
  return kept.flatMap(({ scenarios }) => scenarios.map(({ name }) => name));
}

/** What the present setting does in each scenario. */
export function presentFigures({
  baselines,
}: Pick<Draft, 'baselines'>): readonly ScenarioFigures[] {
  return baselines.find(({ name }) => name === 'present')?.byScenario ?? [];
}

/** Each scenario under what is advised there: a gate that is kept has what it has. */
export function advisedFigures(draft: Draft): readonly ScenarioFigures[] {
  const kept = keptNames(draft);
  const present = presentFigures(draft);
  return (draft.chosen?.byScenario ?? present).map((one, s) =>
    kept.includes(one.scenario) ? (present[s] ?? one) : one,
  );
}

/** Of the chosen and the present setting, in the scenario that binds. */
export function figuresOf(draft: Draft): {
  chosen: Weighed | undefined;
  present: Weighed | undefined;
} {
  const name = draft.chosen?.binding ?? draft.lossSplit?.scenario ?? '';
  const present = draft.baselines.find((one) => one.name === 'present');
  return { chosen: bindingOf(draft.chosen ?? undefined, name), present: bindingOf(present, name) };
}

export function mean(figure: Figure): number | null {
  return typeof figure === 'object' && figure !== null ? figure.mean : figure;
}

/** A share in percent; what is not quite none or all is never rounded to it, here as on a page. */
export function pc(figure: Figure, digits?: number): string {
  const value = mean(figure);
  if (value === null) return '-';
  if (value > 0 && value < LEAST_TOLD) return '<0.1 %';
  if (value < 1 && value > 1 - LEAST_TOLD) return '>99.9 %';
  return `${(100 * value).toFixed(digits ?? digitsOf(value)).replace(/^-(0(\.0)?)$/, '$1')} %`;
}

/** Half of a tenth of a percent. */
const LEAST_TOLD = 0.0005;

function digitsOf(share: number): number {
  const near = share !== 0 && (Math.abs(share) < 0.1 || share > 0.95);
  return near ? 1 : 0;
}

/** Two shares that are compared: one more digit where both would read the same and are not. */
export function pcPair(a: Figure, b: Figure): readonly [string, string] {
  const [one, other] = [mean(a), mean(b)];
  const rough = [pc(a), pc(b)] as const;
  if (one === null || other === null || one === other || rough[0] !== rough[1]) return rough;
  const digits = 1 + Math.max(digitsOf(one), digitsOf(other));
  const fine = [pc(a, digits), pc(b, digits)] as const;
  return fine[0] === fine[1] ? rough : fine;
}

/**
 * The band of a share in the next run, rounded outwards and wider by one request at each end: a run
 * of n requests cannot show less than 1/n, so that no band is a point.
 * @param n requests that the share is of
 */
export function bandText(figure: Figure | undefined, n: number): string {
  if (figure === undefined || figure === null) return '-';
  const [lo, hi] = typeof figure === 'object' ? figure.band : [figure, figure];
  const grain = n > 0 ? 1 / n : 0;
  const least = Math.floor(1000 * Math.max(0, lo - grain) + 1e-9) / 1000;
  const most = Math.ceil(1000 * Math.min(1, hi + grain) - 1e-9) / 1000;
  return `${pc(least)} to ${pc(most)}`;
}
