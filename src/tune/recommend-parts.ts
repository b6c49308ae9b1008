/** What the texts of a recommendation are made of. */
import type { Figure } from '../result/types.ts';
import type { Recommendation, ScenarioFigures, TuneDocument, Weighed } from './types.ts';

/** All of the document but what is made from it. */
export type Draft = Omit<TuneDocument, 'recommendation'> & {
  /** Whether the present setting is the one that is chosen. */
  readonly keep: boolean;
};
export type Line = Recommendation['lines'][number];

export function line(name: string, text: string): Line {
  return { name, text };
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

/** Of the chosen and the present setting, in the scenario that binds. */
export function figuresOf(draft: Draft): {
  chosen: Weighed | undefined;
  present: Weighed | undefined;
} {
  const name = draft.chosen?.binding ?? '';
  const present = draft.baselines.find((one) => one.name === 'present');
  return { chosen: bindingOf(draft.chosen ?? undefined, name), present: bindingOf(present, name) };
}

export function mean(figure: Figure): number | null {
  return typeof figure === 'object' && figure !== null ? figure.mean : figure;
}

/** A share in percent. */
export function pc(figure: Figure, digits?: number): string {
  const value = mean(figure);
  if (value === null) return '-';
  const percent = 100 * value;
  const near = percent !== 0 && (Math.abs(percent) < 10 || percent > 95);
  return `${percent.toFixed(digits ?? (near ? 1 : 0)).replace(/^-(0(\.0)?)$/, '$1')} %`;
}
