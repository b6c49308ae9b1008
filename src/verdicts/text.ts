/** Figures in a headline or a line of evidence, and commands to paste. */
import type { Verdict } from './types.ts';

/** Where a gate's commands go, for a shell in which the line below was pasted first. */
export const GATEWAY = '$GATEWAY';
/** Stands before the commands of a run whose gate has ended: the reader fills in the host. */
export const GATEWAY_LINE = 'GATEWAY=http://your-gateway:8080   # where your gateway is';

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

/** A setting that is in force or ordered: in full, as it stands in the command beside it. */
export function inFull(value: number | null): string {
  return value === null ? 'off' : String(value);
}

/** A measured figure. */
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

/** How far to trust an order that rests on simulated alternatives. */
export function basisOf(source: 'simulated' | 'observed'): string {
  return source === 'simulated'
    ? '[simulated; not yet verified live]'
    : '[observed; the alternatives simulated]';
}

/** A change of the gate's policy, to paste. */
export function putPolicy(adminUrl: string, patch: Readonly<Record<string, unknown>>): string {
  return `${askGate(adminUrl, 'policy', 'PUT')} -d '${JSON.stringify(patch)}'`;
}

/** The end of a lease, to paste, whatever stands in its name. */
export function endLease(adminUrl: string, name: string): string {
  return askGate(adminUrl, `leases/${encodeURIComponent(name).replaceAll("'", '%27')}`, 'DELETE');
}

/** A question to the gate, to paste. */
export function askGate(adminUrl: string, what: string, method = 'GET'): string {
  const url = `${adminUrl}/admin/${what}`;
  const verb = method === 'GET' ? '' : `-X ${method} `;
  return `curl -sf ${verb}${/^[\w./:@%-]+$/.test(url) ? url : `"${url}"`}`;
}

/**
 * The same verdict with the line that its commands need before them, and before its undo, which is
 * pasted on another day; as it is where they need none.
 */
export function withGatewayLine(verdict: Verdict): Verdict {
  const { commands, undo } = verdict;
  const needs = (text: string) => text.includes(`"${GATEWAY}/`);
  return {
    ...verdict,
    commands: commands.some(needs) ? [GATEWAY_LINE, ...commands] : commands,
    undo: needs(undo) ? `${GATEWAY_LINE}\n${undo}` : undo,
  };
}
