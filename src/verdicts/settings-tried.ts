/** What simulations of the same load say of other thresholds, and of more slots. */
import { type Facts, type Forecast, SAME } from './facts.ts';
import { inFull } from './text.ts';

/** Served in time: more slots are not tried. */
export const ENOUGH = 0.99;
const SLOT_FACTORS = [1.25, 1.5, 2, 3, 4, 6, 8];
const WAIT_SHARES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

export interface Setting {
  readonly limits: Readonly<Record<string, number | null>>;
  readonly text: string;
  readonly forecast: Forecast;
}

export interface Settings {
  readonly present: Setting;
  readonly none: Setting;
  readonly best: Setting;
  readonly slots: readonly { readonly slots: number; readonly goodput: number }[];
}

/** Undefined where no simulation can speak for what was run. */
export function triedSettings(facts: Facts): Settings | undefined {
  const { limits } = facts.rules;
  const off = Object.fromEntries(Object.keys(limits).map((name) => [name, null]));
  const setting = (set: Setting['limits'], text: string): Setting[] => {
    const forecast = facts.foresee({ type: 'gate', set });
    return forecast === undefined ? [] : [{ limits: set, text, forecast }];
  };
  const [present] = setting({}, limitsText(limits));
  const [none] = setting(off, 'no gate');
  if (present === undefined || none === undefined) return undefined;
  const waits = WAIT_SHARES.flatMap((share) => {
    const maxWaitS = Number((share * facts.sloS).toPrecision(3));
    return setting({ ...off, maxWaitS }, `maxWaitS ${inFull(maxWaitS)}`);
  });
  const best = [present, none, ...waits].reduce((a, b) =>
    b.forecast.goodput > a.forecast.goodput ? b : a,
  );
  const isAsGood = best.forecast.goodput - present.forecast.goodput <= SAME;
  const kept = isAsGood ? present : best;
  return { present, none, best: kept, slots: slotCurve(facts, kept) };
}

/** More and more slots under a setting, until they would be enough. */
function slotCurve(facts: Facts, { limits }: Setting): Settings['slots'] {
  const curve: { slots: number; goodput: number }[] = [];
  for (const factor of SLOT_FACTORS) {
    const slots = Math.ceil(facts.slots * factor);
    const goodput = facts.foresee({ type: 'gate', set: { ...limits, slots } })?.goodput;
    if (goodput === undefined) break;
    curve.push({ slots, goodput });
    if (goodput >= ENOUGH) break;
  }
  return curve;
}

function limitsText(limits: Readonly<Record<string, number>>): string {
  const parts = Object.entries(limits).map(([name, value]) => `${name} ${inFull(value)}`);
  return parts.length === 0 ? 'no gate' : parts.join(' + ');
}
