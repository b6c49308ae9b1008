/**
 * Whether an operator may set what stands at a path: rules, slots, checkpoints. The rest of a scenario is
 * demand, promise and endpoint, with which they have to live: it is played, and never advised.
 */
export function isChoice(path: string): boolean {
  return /^gate\.|^model\.(checkpoint|slots$)/.test(path);
}
