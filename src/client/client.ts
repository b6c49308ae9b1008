import type { ClientDriver } from './driver.ts';
import { ClientMachine } from './machine.ts';
import type { Failure, Request } from './request.ts';
import type { Client, ClientConfig, Effect, HangUp, Input, Outcome } from './types.ts';

type Refused = Extract<Input, { type: 'refused' }>;
type Failed = Extract<Input, { type: 'failed' }>;

/** What most steps say. Shared, and frozen so that nobody adds to it. */
const NOTHING = Object.freeze([] as Effect[]) as Effect[];

/**
 * The client machine by its one door (DESIGN.md §1): inputs and effects are plain data, and
 * requests go by their sequence numbers. See {@link ClientMachine} for what throws.
 */
export function createClient(config: ClientConfig): Client {
  return new DataDoor(config);
}

/** Drives the machine by what comes as data, and writes down what it tells. */
class DataDoor implements Client, ClientDriver {
  private readonly machine: ClientMachine;
  private out: Effect[] = NOTHING;

  constructor(config: ClientConfig) {
    this.machine = new ClientMachine(config, this);
  }

  get open(): number {
    return this.machine.open;
  }

  nextWakeUs(): number {
    return this.machine.nextWakeUs();
  }

  apply(input: Input, nowUs: number): Effect[] {
    this.out = NOTHING;
    this.take(input, nowUs);
    return this.out;
  }

  private take(input: Input, nowUs: number): void {
    switch (input.type) {
      case 'arrive':
        this.machine.arrive(input, nowUs);
        break;
      case 'tick':
        this.machine.tick(nowUs);
        break;
      case 'stop':
        this.machine.stop(nowUs);
        break;
      default:
        this.hear(input, nowUs);
        break;
    }
  }

  private hear(input: Exclude<Input, { type: 'arrive' | 'tick' | 'stop' }>, nowUs: number): void {
    const request = this.machine.find(input.seq);
    if (request === undefined) this.machine.hear(nowUs);
    else if (input.type === 'answered') this.machine.answered(request, nowUs);
    else if (input.type === 'completed') this.machine.completed(request, nowUs);
    else this.machine.failed(request, failureOf(input), nowUs);
  }

  // ── What the machine tells ────────────────────────────────────────────────────────────────

  send({ wish, attempt }: Request, atUs: number): void {
    this.say({ type: 'send', atUs, seq: wish.seq, attempt });
  }

  hangUp({ wish }: Request, why: HangUp, atUs: number): void {
    this.say({ type: 'hangUp', atUs, seq: wish.seq, why });
  }

  settled({ wish, attempt }: Request, outcome: Outcome, atUs: number): void {
    this.say({ type: 'settled', atUs, seq: wish.seq, outcome, attempts: attempt + 1 });
  }

  private say(effect: Effect): void {
    if (this.out === NOTHING) this.out = [effect];
    else this.out.push(effect);
  }
}

function failureOf(input: Refused | Failed): Failure {
  const asked = input.type === 'refused' ? (input.retryAfterUs ?? 0) : 0;
  return { as: input.as, retryAfterUs: asked, mayRetry: input.mayRetry !== false };
}
