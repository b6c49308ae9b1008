/** What no single field can know: whether the classes and the arrivals fit together. */
import type { Problem } from './problems.ts';
import { shown } from './problems.ts';
import type { Scenario } from './types.ts';

const SHARE_TOLERANCE = 1e-9;

/** Problems between the fields of a scenario whose fields are each right. */
export function crossProblems(scenario: Scenario): Problem[] {
  return [...shareProblems(scenario), ...arrivalProblems(scenario)];
}

function shareProblems(scenario: Scenario): Problem[] {
  const entries = Object.entries(scenario.classes);
  if (entries.length === 0) {
    return [{ path: ['classes'], text: 'expected at least one class, got none' }];
  }
  const sharing = entries.filter(([, spec]) => spec.arrivals === null);
  const missing = sharing.filter(([, spec]) => spec.share === null);
  if (missing.length > 0) {
    return missing.map(([name]) => ({
      path: ['classes', name, 'share'],
      text: 'expected 0 to 1 where the class has no arrivals of its own, got nothing',
    }));
  }
  const sum = sharing.reduce((total, [, spec]) => total + (spec.share ?? 0), 0);
  if (sharing.length === 0 || Math.abs(sum - 1) <= SHARE_TOLERANCE) return [];
  const text = `expected shares that add up to 1, got ${Number(sum.toPrecision(12))} in total`;
  return [{ path: ['classes'], text }];
}

function arrivalProblems(scenario: Scenario): Problem[] {
  const sharing = Object.values(scenario.classes).some((spec) => spec.arrivals === null);
  if (sharing === (scenario.arrivals !== null)) return [];
  const text = sharing
    ? `expected { ratePerS, ... }, or arrivals of its own for each class, got ${shown(undefined)}`
    : 'expected null where every class has arrivals of its own, got arrivals that no class shares';
  return [{ path: ['arrivals'], text }];
}
