/** How a value of a setting is written for a reader: with its unit, and a rule that is off as off. */

/** From here on a limit limits nothing: 1e9 is how runbooks turn a rule off. */
const OFF_FROM = 1e6;

/** Fields of a gate that are limits: nothing happens below them. */
const LIMITS: ReadonlySet<string> = new Set([
  ...['ageRejectS', 'depthMultiple', 'queueCapacity', 'maxWaitS', 'maxHoldS', 'predictedWaitS'],
  ...['interactiveCap', 'retryBudget', 'killWindowS', 'taskBudgetTokens', 'maxPreempts'],
]);

/** A limit of the gate; null where it is off, also by a number that nothing reaches. */
export function limitOf(value: number | null): number | null {
  return value !== null && value < OFF_FROM ? value : null;
}

/** Whether a value turns the rule at this path (`gate.maxWaitS`) off. Any null is off. */
export function isOff(path: string, value: unknown): boolean {
  if (value === null) return true;
  const isLimit = path.startsWith('gate.') && LIMITS.has(path.slice('gate.'.length));
  return isLimit && typeof value === 'number' && limitOf(value) === null;
}

/** `s`, `tokens`, `per s`, or none, as the name of the path ends. */
export function unitOf(path: string): '' | 's' | 'tokens' | 'per s' {
  if (/perS$/i.test(path)) return 'per s';
  if (/[a-z]S$/.test(path)) return 's';
  return /[a-z]Tokens$/.test(path) ? 'tokens' : '';
}

/** A value as it was written, without its unit. */
export function bareValue(path: string, value: unknown): string {
  if (isOff(path, value)) return 'off';
  if (typeof value === 'number' && value >= OFF_FROM) {
    return value.toExponential().replace('e+', 'e');
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `25 s`, `4`, `off`; `space` stands before the unit. */
export function valueWithUnit(path: string, value: unknown, space = ' '): string {
  const unit = unitOf(path);
  const bare = bareValue(path, value);
  return typeof value !== 'number' || unit === '' || bare === 'off' ? bare : bare + space + unit;
}
