import type { Facts } from './facts.ts';
import { percent, stamp } from './text.ts';
import type { Verdict } from './types.ts';

/** To three digits: an SLO may be a hundredth of a second. */
function seconds(s: number): string {
  return `${Number(s.toPrecision(3))} s`;
}

/** Nothing is missing that could be bought or set, where every service outlasts what was promised. */
export function sloTooShort({ shortSlo, served, source }: Facts): Verdict | undefined {
  if (shortSlo === undefined || served === null || served.offered === 0) return undefined;
  const { sloS, serviceS } = shortSlo;
  return {
    action: 'find-cause',
    headline: `THE SLO IS SHORTER THAN ANY SERVICE. NO THRESHOLD AND NO SLOTS HELP.${stamp(source, null)}`,
    signal: 'rates.goodput',
    value: served.goodput,
    threshold: null,
    evidence: `goodput ${percent(served.goodput)} of offered | the shortest service that the scenario describes takes ${seconds(serviceS)}, the SLO is ${seconds(sloS)}`,
    first: `promise more than ${seconds(serviceS)}, or find an endpoint that serves within ${seconds(sloS)}`,
    commands: [],
    expect: 'an SLO that can be kept shows what the threshold does',
    wrongIf: `a request alone at the endpoint is answered within ${seconds(sloS)}`,
    undo: 'nothing was changed',
  };
}
