/** What is said of gates: what is set, what is kept, how it is done and undone, and whose it is. */
import { bareValue } from '../result/setting-value.ts';
import type { Scenario } from '../scenario/types.ts';
import type { GateAdvice, LimitChange } from './gates.ts';
import { shareOf } from './per-gate.ts';
import { bare, type Draft, isOfSeveral, presentText } from './recommend-parts.ts';
import { settingText, valueText } from './setting.ts';

/** `maxWaitS 30 -> 31`, `depthMultiple 2 -> off`; what was off, or stays, has no arrow. */
function changeText({ path, before, after }: LimitChange): string {
  const [now, then] = [bareValue(path, before), bareValue(path, after)];
  return now === 'off' || now === then
    ? `${bare(path)} ${then}`
    : `${bare(path)} ${now} -> ${then}`;
}

/** Whether the scenarios are of several gates, so that it is to be said whose is meant. */
export function isSeveral({ gates }: Pick<Draft, 'gates'>): boolean {
  return gates.length > 1;
}

function namesOf({ scenarios }: GateAdvice): string {
  return scenarios.map(({ name }) => name).join(', ');
}

/** The present setting of every gate, with whose it is where there are several. */
export function keepText(draft: Draft, scenario: Scenario): string {
  if (!isSeveral(draft)) return `KEEP ${presentText(draft, scenario)}`;
  return `KEEP ${presentOf(draft, draft.gates)}`;
}

function presentOf(draft: Draft, gates: readonly GateAdvice[]): string {
  const texts = gates.flatMap((gate) => {
    const [first] = gate.scenarios;
    return first === undefined ? [] : [`${presentText(draft, first)} IN ${namesOf(gate)}`];
  });
  return texts.join('; ');
}

/** `SET ageRejectS 25 -> 1, depthMultiple 2 -> off.`; of several gates `KEEP maxWaitS 30 IN rush. SET … IN burst.` */
export function orderText(draft: Draft): string[] {
  const { gates, keep, chosen } = draft;
  if (keep) return [`KEEP ${settingText(chosen?.setting ?? {})}.`];
  const told = ({ changes }: GateAdvice) => changes.map(changeText).join(', ');
  const [only] = gates;
  if (!isSeveral(draft)) return only === undefined ? [] : [`SET ${told(only)}.`];
  const kept = gates.filter(({ action }) => action === 'keep');
  const set = gates.filter(({ action }) => action === 'set');
  return [
    ...(kept.length === 0 ? [] : [`KEEP ${presentOf(draft, kept)}.`]),
    ...(set.length === 0
      ? []
      : [`SET ${set.map((one) => `${told(one)} IN ${namesOf(one)}`).join('; ')}.`]),
  ];
}

/** What is sent to each gate; what is no policy of a gate is set by hand. */
export function sendText(draft: Draft): string {
  const { replicas } = draft;
  const where = replicas === null || replicas === 1 ? '' : ' to each gate';
  const told = ({ action, changes }: GateAdvice) => {
    if (action === 'keep') return 'change nothing';
    const limits = changes.filter(({ path }) => path.startsWith('gate.'));
    const others = changes.filter((change) => !limits.includes(change));
    const set = settingText(Object.fromEntries(others.map(({ path, after }) => [path, after])));
    const body = limits.map(({ path, after }) => [bare(path), shareOf(path, after, replicas)]);
    const put = `PUT /admin/policy ${JSON.stringify(Object.fromEntries(body))}${where}`;
    return [
      ...(others.length === 0 ? [] : [`set ${set}`]),
      ...(limits.length === 0 ? [] : [put]),
    ].join(', then ');
  };
  return eachText(draft, told);
}

/** What was, in the same words. */
export function undoText(draft: Draft): string {
  const told = ({ changes }: GateAdvice) =>
    changes
      .map(
        ({ path, before }) => `${bare(path)} ${valueText(shareOf(path, before, draft.replicas))}`,
      )
      .join(', ');
  const changed = draft.gates.filter(({ action }) => action === 'set');
  return eachText({ gates: isSeveral(draft) ? changed : draft.gates }, told, isSeveral(draft));
}

function eachText(
  { gates }: Pick<Draft, 'gates'>,
  told: (gate: GateAdvice) => string,
  isNamed = gates.length > 1,
): string {
  return gates.map((gate) => (isNamed ? `${namesOf(gate)}: ${told(gate)}` : told(gate))).join('; ');
}

/** ` IN burst`, in a sentence ` in burst`: whose figures, slots and bands these are, of several scenarios. */
export function whoseText(draft: Draft, inText = 'IN'): string {
  return isOfSeveral(draft)
    ? ` ${inText} ${draft.chosen?.binding ?? draft.lossSplit?.scenario ?? ''}`
    : '';
}
