import type { Outcome } from '../client/types.ts';
import type { ClientLine, RunEnd, WireFact } from './lines.ts';

/** What the caller of one request felt. Instants are of the run's clock; the last attempt's, but for `sentUs`. */
export interface ClientFacts {
  /** Of the first attempt. */
  sentUs: number | null;
  attempt: number;
  attempts: number;
  firstByteUs: number | null;
  firstTokenUs: number | null;
  firstContentUs: number | null;
  lastReadUs: number | null;
  wireEndUs: number | null;
  code: NonNullable<WireFact['code']> | null;
  /** What the answer said of why it did not go well. */
  text: string | null;
  inTokens: number | null;
  outTokens: number;
  transportRetries: number;
  outcome: Outcome | null;
  settledUs: number | null;
}

/** Of a request that the client never heard of. */
export function nothingYet(): ClientFacts {
  return {
    sentUs: null,
    attempt: 0,
    attempts: 0,
    firstByteUs: null,
    firstTokenUs: null,
    firstContentUs: null,
    lastReadUs: null,
    wireEndUs: null,
    code: null,
    text: null,
    inTokens: null,
    outTokens: 0,
    transportRetries: 0,
    outcome: null,
    settledUs: null,
  };
}

/** Gathers a client's ledger by request. */
export class ClientFactsFold {
  readonly bySeq = new Map<number, ClientFacts>();
  /** The last line of the run; null where it did not come to its end. */
  end: RunEnd | null = null;
  /** Of the last line. */
  endUs = 0;

  take(line: ClientLine): void {
    this.endUs = Math.max(this.endUs, line.t);
    if ('wire' in line) this.wire(line.wire, line.t);
    else if ('out' in line) this.effect(line.out);
    else if ('end' in line) this.end = line.end;
  }

  private factsOf(seq: number): ClientFacts {
    const known = this.bySeq.get(seq);
    if (known !== undefined) return known;
    const facts = nothingYet();
    this.bySeq.set(seq, facts);
    return facts;
  }

  private effect(out: Extract<ClientLine, { out: unknown }>['out']): void {
    if (out.type === 'send') {
      this.begin(this.factsOf(out.seq), out.attempt);
    } else if (out.type === 'hangUp') {
      if (out.why === 'timeout') this.factsOf(out.seq).code = 'timeout';
    } else if (out.type === 'settled') {
      const facts = this.factsOf(out.seq);
      facts.outcome = out.outcome;
      facts.settledUs = out.atUs;
      facts.attempts = out.attempts;
    }
  }

  /** What the attempt before has left is not this one's. */
  private begin(facts: ClientFacts, attempt: number): void {
    facts.attempt = attempt;
    facts.attempts = Math.max(facts.attempts, attempt + 1);
    facts.firstByteUs = null;
    facts.firstTokenUs = null;
    facts.firstContentUs = null;
    facts.wireEndUs = null;
    facts.code = null;
    facts.text = null;
    facts.outTokens = 0;
  }

  private wire(fact: WireFact, t: number): void {
    const facts = this.factsOf(fact.seq);
    switch (fact.event) {
      case 'sent':
        facts.sentUs ??= t;
        break;
      case 'firstByte':
        facts.firstByteUs = t;
        facts.lastReadUs = t;
        break;
      case 'firstToken':
        facts.firstTokenUs = t;
        facts.lastReadUs = t;
        break;
      case 'firstContent':
        facts.firstContentUs = t;
        facts.lastReadUs = t;
        break;
      case 'read':
        facts.lastReadUs = t;
        break;
      case 'transportRetry':
        facts.transportRetries++;
        break;
      case 'end':
        facts.wireEndUs = t;
        // Who hung up knows why; the wire sees only the end.
        facts.code ??= fact.code ?? null;
        facts.text = fact.text ?? null;
        break;
    }
    facts.inTokens = fact.inTokens ?? facts.inTokens;
    facts.outTokens = fact.outTokens ?? facts.outTokens;
  }
}
