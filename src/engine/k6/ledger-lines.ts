import type { Arrival } from '../../arrivals/schedule.ts';
import type { ClientLine, WireFact } from '../../ledger/lines.ts';
import type { Facts } from './metrics.ts';
import type { K6Output } from './output.ts';

/**
 * The client's ledger of a run in k6, in order of time: each request tried once, as the live engine
 * writes it. Instants before 0 do not occur: nothing is sent before it is due.
 */
export function clientLines(
  { facts, sentUs }: Pick<K6Output, 'facts' | 'sentUs'>,
  arrivals: readonly Arrival[],
): ClientLine[] {
  let lastUs = 0;
  const lines = arrivals.flatMap((arrival) => {
    const known = facts.get(arrival.seq);
    const atUs = known?.sentUs ?? sentUs.get(arrival.seq);
    if (atUs === undefined) return [];
    lastUs = Math.max(lastUs, known?.endUs ?? atUs);
    const end = known === undefined ? [] : endLines(known);
    return [...sendLines(arrival, atUs), ...end];
  });
  // The sort is stable: what one request says at one instant keeps its order.
  lines.sort((a, b) => a.t - b.t);
  lines.push({ t: lastUs, end: { interrupted: false, eventLoopP99Ms: null } });
  return lines;
}

function sendLines({ seq, class: name, keySeq, demand }: Arrival, t: number): ClientLine[] {
  const { holdUs } = demand;
  return [
    { t, in: { type: 'arrive', seq, class: name, keySeq, holdUs } },
    { t, out: { type: 'send', atUs: t, seq, attempt: 0 } },
    { t, wire: { seq, attempt: 0, event: 'sent' } },
  ];
}

function endLines(facts: Facts): ClientLine[] {
  const { seq, endUs: t, firstByteUs, outcome } = facts;
  const head: ClientLine[] =
    firstByteUs < 0
      ? []
      : [{ t: firstByteUs, wire: { seq, attempt: 0, event: 'firstByte', status: facts.status } }];
  return [
    ...head,
    { t, wire: endFact(facts) },
    { t, in: endInput(facts) },
    { t, out: { type: 'settled', atUs: t, seq, outcome, attempts: 1 } },
  ];
}

function endFact({ seq, status, code, inTokens, outTokens }: Facts): WireFact {
  const fact = { seq, attempt: 0, event: 'end', status, inTokens, outTokens } as const;
  return code === '' ? fact : { ...fact, code: code as NonNullable<WireFact['code']> };
}

type Input = Extract<ClientLine, { in: unknown }>['in'];

function endInput({ seq, outcome }: Facts): Input {
  if (outcome === 'completed') return { type: 'completed', seq };
  if (outcome === 'rejected' || outcome === 'expired') return { type: 'refused', seq, as: outcome };
  return { type: 'failed', seq, as: outcome };
}
