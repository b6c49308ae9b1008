/** Figures in a headline or a line of evidence. */

/** Stands in commands where the reader's own host belongs. */
export const YOUR_GATEWAY = '<your-gateway>';

/** `82 %`, `99.5 %`: a decimal only near the ends, where it matters. */
export function percent(share: number): string {
  const value = share * 100;
  const isNearAnEnd = value !== 0 && value !== 100 && (value < 1 || value > 99);
  return `${value.toFixed(isNearAnEnd ? 1 : 0)} %`;
}

/** `395 s`, `4.2 s` */
export function seconds(s: number): string {
  return `${round(s)} s`;
}

export function round(value: number): string {
  return String(Number(value.toFixed(Math.abs(value) < 10 ? 1 : 0)));
}

/** `a`, `a and b`, `a, b and c` */
export function list(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** ` [simulated, t = 400 s]`: how and when a verdict is true. */
export function stamp(source: 'simulated' | 'observed', atS: number | null): string {
  return atS === null ? ` [${source}]` : ` [${source}, t = ${seconds(atS)}]`;
}

/** A change of the gate's policy, to paste. */
export function putPolicy(adminUrl: string, patch: Readonly<Record<string, unknown>>): string {
  return `curl -sf -X PUT ${adminUrl}/admin/policy -d '${JSON.stringify(patch)}'`;
}
