/** Which rules of a gate are on, in words. */
import { isOff } from '../result/setting-value.ts';
import type { Result } from '../result/types.ts';
import { setNumber, setSeconds } from './format.ts';

type Gate = Result['scenario']['resolved']['gate'];

/** The rules that can turn somebody away, by name and with their values. */
export function rulesOn(gate: Gate): { readonly name: string; readonly text: string }[] {
  const rules: [string, number | null, (value: number) => string][] = [
    ['ageRejectS', gate.ageRejectS, setSeconds],
    ['depthMultiple', gate.depthMultiple, setNumber],
    ['queueCapacity', gate.queueCapacity, setNumber],
    ['maxWaitS', gate.maxWaitS, setSeconds],
    ['maxHoldS', gate.maxHoldS, setSeconds],
    ['slackRejectS', gate.slackRejectS, setSeconds],
    ['interactiveCap', gate.interactiveCap, setNumber],
    ['retryBudget', gate.retryBudget, setNumber],
    ['predictedWaitS', gate.predictedWaitS, setSeconds],
    ['killWindowS', gate.killWindowS, setSeconds],
    ['queueAgeFraction', gate.queueAgeFraction, setNumber],
    ['maxPreempts', gate.maxPreempts, setNumber],
  ];
  return rules.flatMap(([name, value, write]) =>
    isOff(`gate.${name}`, value) || value === null
      ? []
      : [{ name, text: `${name} ${write(value)}` }],
  );
}

/** Rules that stay on in every row of a sweep, which a row that says "off" would hide; empty: none does. */
export function alsoOn(gate: Gate, paths: readonly string[]): string[] {
  const on = rulesOn(gate).filter(({ name }) => !paths.includes(`gate.${name}`));
  if (on.length === 0) return [];
  return [`Also on in every row: ${on.map(({ text }) => text).join(', ')}.`];
}
