import type { Effect, Input } from '../admission/types.ts';
import type { Violations } from './laws.ts';
import type { GateHeader, GateLine } from './lines.ts';

type Stage = 'arrived' | 'queued' | 'leased';
type Told = Exclude<Effect, { type: 'drained' }>;

/** What an effect may follow. */
const FOLLOWS: Record<Told['type'], readonly Stage[]> = {
  rejected: ['arrived'],
  queued: ['arrived'],
  granted: ['arrived', 'queued'],
  expired: ['queued'],
  killed: ['leased'],
  replay: ['leased'],
  failed: ['leased'],
};

/** Watches the recorded inputs and effects of a gate; knows nothing of how the machine decides. */
export class GateLaws {
  private readonly stages = new Map<number, Stage>();
  /** Ended by the input that is being answered: the gate may have ended it in the same call. */
  private justEnded = -1;
  private readonly classes = new Map<number, string>();
  /** Ids in the order of their arrival, by class. */
  private readonly queues = new Map<string, Set<number>>();
  private slots: number;
  private leased = 0;

  constructor(
    header: GateHeader,
    private readonly violations: Violations,
  ) {
    this.slots = header.config.policy.slots;
  }

  take(number: number, line: GateLine): void {
    if ('in' in line) this.input(number, line.in);
    else if ('out' in line && line.out.type !== 'drained') this.effect(number, line.out);
  }

  private input(number: number, input: Input): void {
    this.justEnded = -1;
    if (input.type === 'arrive') this.arrive(number, input.id, input.class);
    else if (input.type === 'configure') this.slots = input.policy.slots ?? this.slots;
    else if (input.type === 'release') this.release(number, input.id);
    else if (input.type === 'cancel') this.leave(input.id);
  }

  private arrive(number: number, id: number, className: string): void {
    if (this.classes.has(id)) this.violations.add(1, `line ${number}: id ${id} arrived twice`);
    this.classes.set(id, className);
    this.stages.set(id, 'arrived');
  }

  private release(number: number, id: number): void {
    if (this.stages.get(id) !== 'leased') {
      this.violations.add(3, `line ${number}: release of ${id}, which holds no lease`);
    }
    this.leave(id);
  }

  private leave(id: number): void {
    if (this.stages.get(id) === 'leased') this.leased--;
    this.stages.delete(id);
    this.queueOf(id).delete(id);
    this.justEnded = id;
  }

  private effect(number: number, effect: Told): void {
    const { id, type } = effect;
    const stage = this.stages.get(id);
    if (stage === undefined || !FOLLOWS[type].includes(stage)) {
      if (id === this.justEnded) return;
      const law = type === 'killed' || type === 'failed' ? 3 : 7;
      this.violations.add(law, `line ${number}: ${id} ${type} when ${stage ?? 'gone'}`);
    }
    this.move(number, effect);
  }

  private move(number: number, { id, type }: Told): void {
    if (type === 'granted') this.grant(number, id);
    else if (type === 'queued') this.enqueue(id);
    else if (type !== 'replay') this.leave(id);
  }

  private enqueue(id: number): void {
    this.stages.set(id, 'queued');
    this.queueOf(id).add(id);
  }

  private grant(number: number, id: number): void {
    const queue = this.queueOf(id);
    const [first] = queue;
    if (first !== undefined && first !== id) {
      this.violations.add(4, `line ${number}: ${id} got a slot before ${first} of its class`);
    }
    queue.delete(id);
    this.stages.set(id, 'leased');
    this.leased++;
    if (this.leased > this.slots) {
      this.violations.add(2, `line ${number}: ${this.leased} leases of ${this.slots} slots`);
    }
  }

  private queueOf(id: number): Set<number> {
    const name = this.classes.get(id) ?? '';
    const queue = this.queues.get(name) ?? new Set();
    this.queues.set(name, queue);
    return queue;
  }
}
