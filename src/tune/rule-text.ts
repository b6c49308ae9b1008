/** How the rules compare: what each does at its best, with the others off. */
import { bindingOf, type Draft, type Line, line, mean, pc } from './recommend-parts.ts';
import { settingText } from './setting.ts';
import type { Baseline } from './types.ts';

const RULE_TEXTS: Readonly<Record<string, string>> = {
  'depth cap': 'a cap on the depth',
  'age rule': 'the age rule',
  'wait limit': 'a limit on the wait',
  'predicted wait': 'a rule on the predicted wait',
};

/** How the rules compare: what beats the tuned one, or what it beats. */
export function betterRule({ baselines, params }: Draft, name: string): string | undefined {
  const rules = baselines.filter(({ name: of }) => of in RULE_TEXTS);
  const told = (one: Baseline) =>
    `${RULE_TEXTS[one.name]} (${settingText(one.setting)}: ${pc(bindingOf(one, name)?.goodput ?? null)})`;
  const allowed = rules.filter((one) => one.allowed);
  const [best] = [...allowed].sort((a, b) => goodputOf(b, name) - goodputOf(a, name));
  if (best === undefined) return undefined;
  const tuned = params.map(({ path }) => path);
  const isTuned = Object.keys(best.setting).some((path) => tuned.includes(path));
  const second = rules.find(
    (one) => one.name === (best.name === 'age rule' ? 'wait limit' : 'age rule'),
  );
  if (!isTuned && best.gain !== null && best.gain.hi < -0.01)
    return `${told(best)} beats this rule here`;
  if (second === undefined || second === best) return undefined;
  const beats = goodputOf(best, name) - goodputOf(second, name) > 0.01 || !second.allowed;
  return beats ? `${told(best)} beats ${told(second)} here` : undefined;
}

function goodputOf(one: Baseline, name: string): number {
  return mean(bindingOf(one, name)?.goodput ?? null) ?? 0;
}

/**
 * Which rule bounds how long the last ones wait, and what that costs in refusals. Only `maxWaitS`
 * ends a wait at its own number: the others look at the queue when a request arrives.
 */
export function waitLines({ baselines, chosen }: Draft): Line[] {
  const told = baselines.flatMap((one) => {
    const figures = bindingOf(one, chosen?.binding ?? '');
    const p99S = mean(figures?.waitP99S ?? null);
    if (!(one.name in RULE_TEXTS) || !one.allowed || p99S === null) return [];
    const turned = pc(figures?.rejection ?? null);
    return [{ p99S, text: `${settingText(one.setting)}: ${p99S.toFixed(1)} s, ${turned}` }];
  });
  if (told.length < 2) return [];
  const sorted = told.sort((a, b) => a.p99S - b.p99S).map(({ text }) => text);
  return [
    line(
      'WAIT',
      `99 % wait at most this long, at this share turned away: ${sorted.join('; ')}. Only maxWaitS bounds a wait by its own number`,
    ),
  ];
}
