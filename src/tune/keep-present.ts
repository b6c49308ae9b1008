/** What is said where the present setting stays though another one was found, or none: it is as good. */
import type { Scenario } from '../scenario/types.ts';
import { buyLines, scaleText, slotsText, stillLines, withSlotsOfKept } from './capacity-text.ts';
import { FLAT } from './choose.ts';
import { keepText } from './gate-text.ts';
import { eachKeptLines, gateLines, staleText, validText } from './guard-text.ts';
import { noneAllowedText, otherOrder, otherWayBeside, refusedText } from './nothing-allowed.ts';
import { edgeText, triedText } from './range-text.ts';
import {
  bindingOf,
  type Draft,
  figuresOf,
  keptNames,
  line,
  mean,
  namedLines,
  ofText,
  presentFigures,
  presentText,
} from './recommend-parts.ts';
import { riskLines } from './risk-text.ts';
import { settingText } from './setting.ts';
import { stateText } from './state-text.ts';
import type { Recommendation } from './types.ts';

/** What is known before anything is said. */
type Advice = Pick<
  Draft,
  'scenarios' | 'keep' | 'gates' | 'shortSlo' | 'evidence' | 'baselines'
> & {
  readonly chosen: Omit<NonNullable<Draft['chosen']>, 'interval'> | null;
};

/** The present setting is allowed, serves as much in time in every scenario whose gate would change and turns away no more: a change would be a loss. */
function presentServesMore(draft: Advice): boolean {
  const { baselines, chosen, scenarios } = draft;
  const kept = keptNames(draft);
  const now = baselines.find((one) => one.name === 'present');
  if (now?.allowed !== true || chosen === null) return false;
  const changing = scenarios.filter(({ name }) => !kept.includes(name));
  return (changing.length === 0 ? scenarios : changing).every(({ name }) => {
    const [then, present] = [bindingOf(chosen, name), bindingOf(now, name)];
    if (then === undefined || present === undefined) return false;
    const served = (mean(present.goodput) ?? 0) - (mean(then.goodput) ?? 0);
    const unserved = (mean(present.unserved) ?? 0) - (mean(then.unserved) ?? 0);
    return served >= 0 && unserved <= FLAT;
  });
}

/** Whether the present setting is what is advised, though another was found or none: then that is what has to stand every trial. */
export function keepsPresent(advice: Advice): boolean {
  const { evidence, chosen, shortSlo, keep, gates, baselines } = advice;
  if (!evidence.enough) return false;
  if (chosen === null) {
    // The present setting may be a good one that stands outside what was tried.
    const now = baselines.find(({ name }) => name === 'present');
    return shortSlo === undefined && now?.allowed === true;
  }
  return !keep && (presentServesMore(advice) || gates.every(({ action }) => action === 'keep'));
}

/** @param scenario that binds, as it is now */
export function keepPresent(draft: Draft, label: string, scenario: Scenario): Recommendation {
  const { chosen, present } = figuresOf(draft);
  const why =
    draft.chosen === null
      ? `${noneAllowedText(draft)}; the present setting is allowed`
      : `the best of what was tried, ${settingText(draft.chosen.setting)}, ${presentServesMore(draft) ? 'is no better' : 'gains less than 1 % of offered'}: ${ofText(draft, scenario.name)}${stateText(chosen)}`;
  const kept = withSlotsOfKept(draft);
  const other = otherWayBeside(draft, scenario, presentFigures(draft), false);
  const others = [
    ...refusedText(draft, present, scenario.name),
    ...edgeText(draft),
    ...(other === undefined ? [] : [other.why]),
  ];
  const warn = draft.origin.simulated ? ' (simulated: calibrate before production)' : '';
  const told = [
    line('NOW', stateText(present)),
    ...eachKeptLines(draft),
    line('WHY', [triedText(draft), why, ...others].join('; ')),
    ...buyLines(kept, scenario),
    line(
      'DO',
      `${scaleText(kept, scenario)}${other === undefined ? 'change nothing' : `${other.put}${warn}`}`,
    ),
    ...stillLines(kept),
    ...riskLines(draft, presentText(draft, scenario), true),
    ...gateLines({ ...kept, chosen: null }, scenario),
    line('VALID', validText(draft)),
    line('STALE', staleText(draft)),
  ];
  const lines = namedLines(draft, scenario.name, told);
  const outside = draft.chosen === null ? ' NOTHING IN THE RANGE THAT WAS TRIED IS ALLOWED.' : '';
  const own = `${keepText(draft, scenario)}.${outside}`;
  const slots = slotsText(kept, scenario, other !== undefined);
  const headline = [own, ...otherOrder(draft, other), ...slots].join(' ');
  return { action: 'keep', headline, label, chosenIs: 'best tried', lines };
}
