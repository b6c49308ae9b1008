import type { Facts, Window } from './facts.ts';
import { doNotScale, findLeak, idleWithoutHold, isContradiction } from './hold-leak.ts';
import { unexplained } from './lost.ts';
import { overload } from './overload.ts';
import { admitInteractive, killLeases, rejectInteractive, shedClients } from './sessions.ts';
import { sloTooShort } from './short-slo.ts';
import { percent } from './text.ts';
import type { Verdict } from './types.ts';

/**
 * The actions that the evidence supports, the first first: runbook 000's decision table, and what
 * may be said of overload. Where many were lost it never says to change nothing. A run that cannot
 * be trusted gets that one verdict; where nothing can be told it says so. Never empty.
 * @param windows in order of time; of a gate that runs: one, which ends now
 */
export function verdictsOf(windows: readonly Window[], facts: Facts): Verdict[] {
  if (facts.distrust.length > 0) return [untrusted(facts)];
  const last = windows.at(-1);
  if (last === undefined) return [cannotTell('nothing was measured')];
  const leak = findLeak(windows, facts);
  const idle = leak === undefined ? windows.filter(isContradiction).at(-1) : undefined;
  const found = [
    leak && doNotScale(leak, facts),
    killLeases(windows, facts),
    rejectInteractive(windows, facts),
    shedClients(facts),
    idle && idleWithoutHold(idle, facts),
    leak === undefined && idle === undefined
      ? (sloTooShort(facts) ?? overload(windows, facts))
      : undefined,
  ].filter((verdict) => verdict !== undefined);
  if (found.length > 0) return found;
  return [unexplained(windows, facts) ?? admitInteractive(last, facts) ?? quiet(windows, facts)];
}

function quiet(windows: readonly Window[], { served }: Facts): Verdict {
  if (served !== null && served.offered === 0) return cannotTell('no request arrived');
  const oldestS = Math.max(...windows.map(({ queueAgeS }) => queueAgeS));
  const goodput = served === null ? '' : `goodput ${percent(served.goodput)} of offered | `;
  return {
    action: 'no-action',
    headline: 'CHANGE NOTHING.',
    signal: 'queue_age_seconds',
    value: oldestS,
    threshold: null,
    evidence: `${goodput}queue age at most ${oldestS.toFixed(1)} s | no sign of a leak or of overload`,
    commands: [],
    expect: 'the same as long as the load is the same',
    wrongIf: 'queue age or rejections rise',
    undo: '',
  };
}

function cannotTell(why: string): Verdict {
  return {
    action: 'cannot-tell',
    headline: 'CANNOT TELL.',
    signal: 'requests',
    value: null,
    threshold: null,
    evidence: why,
    commands: [],
    expect: 'a verdict as soon as there is something to judge',
    wrongIf: '',
    undo: '',
  };
}

function untrusted({ distrust, rerun }: Facts): Verdict {
  return {
    action: 'untrusted',
    headline: 'DO NOT USE THIS RUN.',
    signal: 'health',
    value: null,
    threshold: null,
    evidence: distrust.join('; '),
    commands: [rerun],
    expect: 'a run that keeps its schedule to its end',
    wrongIf: '',
    undo: '',
  };
}
