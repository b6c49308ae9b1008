/** What `/admin/policy` speaks: the names and units of `scenario.gate`. */
import type { Mode, Policy } from '../admission/types.ts';
import { UserError } from '../errors.ts';
import { sFromUs, usFromS } from '../units.ts';

interface Field {
  readonly policy: Exclude<keyof Policy, 'upstreamDown'>;
  readonly expected: string;
  /** The value as the machine keeps it, or undefined where it makes no sense. */
  read(value: unknown): number | boolean | string | null | undefined;
  show(value: number): number;
}

const MODES: readonly Mode[] = [
  'enforce',
  'shadow',
  'admit-always',
  'reject_preempt_budget',
  'drain',
];

/** As in a scenario: keeps microseconds well inside 2^53. */
const LONGEST_S = 1e9;

const same = (value: number) => value;
const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;

function seconds(
  policy: Field['policy'],
  nullable: boolean,
  least: 'some' | 'none' = 'none',
): Field {
  const range = least === 'some' ? 'more than 0 and at most 1e9' : '0 to 1e9';
  return {
    policy,
    expected: `seconds, ${range}${nullable ? ', or null' : ''}`,
    read(value) {
      if (value === null && nullable) return null;
      if (!isNumber(value) || value > LONGEST_S) return undefined;
      return least === 'some' && value === 0 ? undefined : usFromS(value);
    },
    show: sFromUs,
  };
}

function count(policy: Field['policy'], least: number, nullable: boolean): Field {
  return {
    policy,
    expected: `a whole number, ${least} or more${nullable ? ', or null' : ''}`,
    read(value) {
      if (value === null && nullable) return null;
      return isNumber(value) && Number.isSafeInteger(value) && value >= least ? value : undefined;
    },
    show: same,
  };
}

function upTo(policy: Field['policy'], most: number, nullable: boolean): Field {
  return {
    policy,
    expected: `a number, 0 ${most === Infinity ? 'or more' : `to ${most}`}${nullable ? ', or null' : ''}`,
    read(value) {
      if (value === null && nullable) return null;
      return isNumber(value) && value <= most ? value : undefined;
    },
    show: same,
  };
}

function flag(policy: Field['policy']): Field {
  return {
    policy,
    expected: 'true or false',
    read: (value) => (typeof value === 'boolean' ? value : undefined),
    show: same,
  };
}

const FIELDS: Readonly<Record<string, Field>> = {
  slots: count('slots', 1, false),
  ageRejectS: seconds('ageRejectUs', true),
  depthMultiple: upTo('depthMultiple', Infinity, true),
  queueCapacity: count('queueCapacity', 0, true),
  maxWaitS: seconds('maxWaitUs', true),
  maxHoldS: seconds('maxHoldUs', true, 'some'),
  slackRejectS: seconds('slackRejectUs', true),
  holdRejectS: seconds('holdRejectUs', false),
  slackAdmitS: seconds('slackAdmitUs', false),
  interactiveCap: count('interactiveCap', 0, true),
  retryBudget: count('retryBudget', 0, true),
  predictedWaitS: seconds('predictedWaitUs', true),
  killWindowS: seconds('killWindowUs', true, 'some'),
  retryAfterS: seconds('retryAfterUs', false),
  mode: {
    policy: 'mode',
    expected: MODES.join(' | '),
    read: (value) => (MODES.includes(value as Mode) ? (value as Mode) : undefined),
    show: same,
  },
  queueAgeFraction: upTo('queueAgeFraction', 1, true),
  taskBudgetTokens: upTo('taskBudgetTokens', Infinity, true),
  restartFraction: upTo('restartFraction', 1, false),
  maxPreempts: count('maxPreempts', 0, true),
  stopAfterPreempts: flag('stopAfterPreempts'),
  rejectInteractive: flag('rejectInteractive'),
};

/** Runbook 000 calls its flag so. */
const ALIASES: Readonly<Record<string, string>> = { reject_interactive: 'rejectInteractive' };

/** The policy as people write it: durations in seconds. */
export function shownPolicy(policy: Policy): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(FIELDS).map(([name, field]) => {
      const value = policy[field.policy];
      return [name, typeof value === 'number' ? field.show(value) : value];
    }),
  );
}

/** Reads a patch. UserError names the field, what was expected and what was got. */
export function policyPatchFrom(patch: unknown): Partial<Policy> {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
    throw new UserError('policy: expected a JSON object of gate fields');
  }
  return Object.fromEntries(Object.entries(patch).map(([name, value]) => readField(name, value)));
}

function readField(name: string, value: unknown): [string, unknown] {
  const known = ALIASES[name] ?? name;
  const field = Object.hasOwn(FIELDS, known) ? FIELDS[known] : undefined;
  if (field === undefined) {
    throw new UserError(`${name}: expected one of ${Object.keys(FIELDS).join(', ')}`);
  }
  const read = field.read(value);
  if (read === undefined) {
    throw new UserError(`${name}: expected ${field.expected}, got ${JSON.stringify(value)}`);
  }
  return [field.policy, read];
}
