import type { Effect, Input } from '../client/types.ts';
import { isKill } from './failure.ts';
import type { WireFact } from './lines.ts';
import { codeNamed } from './rows.ts';

/** What one attempt has shown so far. */
interface Shown {
  readonly attempt: number;
  readonly seen: Set<WireFact['event']>;
  /** Its caller has gone: the wire ends, and the machine is told nothing. */
  hungUp: boolean;
  answered: boolean;
  end: WireFact | undefined;
  /** The machine knows how it ended. */
  told: boolean;
}

/** What must have come before; null: it may come at any time. */
const AFTER: Readonly<Record<WireFact['event'], WireFact['event'] | null>> = {
  sent: null,
  end: null,
  firstByte: 'sent',
  firstToken: 'firstByte',
  firstContent: 'firstToken',
  read: 'firstToken',
  transportRetry: 'sent',
};

type Heard = Exclude<Input, { type: 'arrive' | 'stop' | 'tick' }>;

/** Holds what the wire of a client did against what its machine said and was told. */
export class WireLaws {
  private readonly shown = new Map<number, Shown>();

  /** @param report told the number of a line and what is wrong with it */
  constructor(private readonly report: (number: number, what: string) => void) {}

  effect(out: Effect): void {
    if (out.type === 'send') {
      const { seq, attempt } = out;
      const fresh = { hungUp: false, answered: false, told: false, end: undefined };
      this.shown.set(seq, { attempt, seen: new Set(), ...fresh });
    } else if (out.type === 'hangUp') {
      const shown = this.shown.get(out.seq);
      if (shown !== undefined) shown.hungUp = true;
    }
  }

  fact(number: number, fact: WireFact): void {
    const { seq, attempt, event } = fact;
    const shown = this.shown.get(seq);
    if (shown === undefined || shown.attempt !== attempt) {
      this.report(number, `request ${seq} was not sent as attempt ${attempt}`);
      return;
    }
    if (shown.seen.has('end')) this.report(number, `request ${seq}: ${event} after its end`);
    if (shown.seen.has(event)) this.report(number, `request ${seq}: ${event} twice`);
    const before = AFTER[event];
    if (before === undefined) this.report(number, `request ${seq}: ${event} is no event of a wire`);
    else if (before !== null && !shown.seen.has(before)) {
      this.report(number, `request ${seq}: ${event} without ${before}`);
    }
    shown.seen.add(event);
    if (event === 'end') this.end(number, shown, fact);
  }

  /** The run is over, and nothing came after it: each attempt must have come to its end. */
  over(number: number): void {
    for (const [seq, { seen }] of this.shown) {
      if (!seen.has('end'))
        this.report(number, `request ${seq}: the run ended before its wire did`);
    }
  }

  private end(number: number, shown: Shown, fact: WireFact): void {
    shown.end = fact;
    const { seq, status } = fact;
    if ((status !== undefined) !== shown.seen.has('firstByte')) {
      this.report(
        number,
        `request ${seq}: status ${status ?? 'none'}, but its first byte says else`,
      );
    }
    if (status !== undefined && status < 300 !== shown.answered) {
      const heard = shown.answered ? 'answered' : 'not answered';
      this.report(number, `request ${seq}: status ${status}, but it was ${heard}`);
    }
  }

  input(number: number, input: Input): void {
    if (input.type === 'stop' || input.type === 'tick' || input.type === 'arrive') return;
    const { seq } = input;
    const shown = this.shown.get(seq);
    if (shown === undefined) this.report(number, `request ${seq} was never sent`);
    else if (input.type === 'answered') this.answered(number, seq, shown);
    else this.ended(number, input, shown);
  }

  private answered(number: number, seq: number, shown: Shown): void {
    if (!shown.seen.has('firstByte'))
      this.report(number, `request ${seq}: answered, no first byte`);
    if (shown.answered) this.report(number, `request ${seq}: answered twice`);
    shown.answered = true;
  }

  private ended(number: number, input: Heard, shown: Shown): void {
    const { seq, type } = input;
    const { end, hungUp, told } = shown;
    if (told) this.report(number, `request ${seq} ${type}, but it had ended`);
    shown.told = true;
    if (end === undefined) this.report(number, `request ${seq} ${type}, but its wire did not end`);
    else if (hungUp) this.report(number, `request ${seq} ${type}, but its caller had gone`);
    else if (!agree(input, end)) {
      const said = `status ${end.status ?? 'none'} and code ${end.code ?? 'none'}`;
      this.report(number, `request ${seq} ${type}, but its wire ended with ${said}`);
    }
  }
}

const REFUSED_AS: ReadonlySet<string> = new Set(['rejected', 'expired']);
const FAILED_AS: ReadonlySet<string> = new Set(['failed', 'undecided', 'killed']);

/** Whether the end of an attempt is what its machine was told. */
function agree(input: Heard, { code, status }: WireFact): boolean {
  switch (input.type) {
    case 'completed':
      return code === undefined && status !== undefined && status < 300;
    case 'refused':
      return REFUSED_AS.has(input.as) && isRefusal(code) && status !== undefined && status >= 300;
    case 'failed':
      if (code === undefined || !FAILED_AS.has(input.as)) return false;
      if (input.as === 'undecided') return status === undefined;
      return isKill(code) === (input.as === 'killed');
    default:
      return true;
  }
}

/** A code of the gate, or the overload of somebody else's server. */
function isRefusal(code: WireFact['code']): boolean {
  return code !== undefined && (code === 'overload' || codeNamed(code) !== undefined);
}
