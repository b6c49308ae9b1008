/** Logs of other systems: what a gate there refused, and who came back, as a recommendation has to know it. */
import type { Arrivals, ClassSpec, Scenario } from '../scenario/types.ts';
import { MOST_DRAWN, percent, tooMuchDrawn } from './learned.ts';

type Trace = Extract<Arrivals, { readonly process: 'trace' }>;

function tracesOf({ arrivals, classes }: Scenario): Trace[] {
  const all = [arrivals, ...Object.values(classes).map((spec) => spec.arrivals)];
  return all.flatMap((each) => (each?.process === 'trace' ? [each] : []));
}

/** Whether rows of its logs are taken for retries and count as demand. */
export function countsLoggedRetries(scenario: Scenario): boolean {
  return tracesOf(scenario).some(
    ({ retries, rows }) => retries === 'kept' && rows.some(({ retry }) => retry === true),
  );
}

/** The other way to read the same logs: each request once, at its first try, with the work of its last. */
export function withoutLoggedRetries(scenario: Scenario): Scenario {
  const leftOut = (arrivals: Arrivals | null): Arrivals | null =>
    arrivals?.process === 'trace' ? { ...arrivals, retries: 'left-out' } : arrivals;
  const classes = Object.entries(scenario.classes).map(([name, spec]): [string, ClassSpec] => [
    name,
    { ...spec, arrivals: leftOut(spec.arrivals) },
  ]);
  return {
    ...scenario,
    arrivals: leftOut(scenario.arrivals),
    classes: Object.fromEntries(classes),
  };
}

/**
 * The share of a log's demand that a gate refused, so that nobody saw what it needed.
 * @returns for each log with such demand how much of it is invented, in words
 * @throws UserError where it is over a fifth, unless that is allowed
 */
export function unseenNotes(scenario: Scenario, allowDrawn: boolean): string[] {
  return tracesOf(scenario).flatMap(({ file, rows, retries }) => {
    const counted = rows.filter(({ retry }) => retries === 'kept' || retry !== true);
    const unseen = counted.filter(
      ({ refused, served }) => refused === true && (retries === 'kept' || served === undefined),
    ).length;
    if (unseen === 0) return [];
    const share = unseen / counted.length;
    if (share > MOST_DRAWN && !allowDrawn) throw tooMuchDrawn(file, share);
    return [
      `${file}: the demand of ${unseen} of ${counted.length} requests (${percent(share)}) was never observed and is drawn`,
    ];
  });
}
