import { Expected } from './expected.ts';
import { Leases } from './leases.ts';
import { predictWaitUs } from './predict.ts';
import { Queue } from './queue.ts';
import { ClassState, deadlineOf } from './ticket.ts';
import type { AdmissionConfig, Kind, Policy, View } from './types.ts';

/** The state of the gate, as its rules see it. */
export class Pool implements View {
  policy: Policy;
  slackClosed = false;
  readonly leases = new Leases();
  readonly queue: Queue;
  private readonly byName = new Map<string, ClassState>();
  private readonly byPriority: readonly ClassState[];
  private readonly first: ClassState;
  private lastName: string;
  private lastOf: ClassState;
  private readonly deadlineUs: number | undefined;

  constructor(config: AdmissionConfig) {
    this.policy = config.policy;
    const classes = Object.entries(config.classes).map(([name, rules]) => {
      const expected = new Expected(rules.expectedComputeUs);
      return new ClassState(name, rules, expected, this.leases.listOf(rules.kind));
    });
    const first = classes[0];
    if (first === undefined)
      throw new RangeError('admission: expected at least one class, got none');
    this.first = first;
    this.lastName = first.name;
    this.lastOf = first;
    for (const each of classes) this.byName.set(each.name, each);
    this.byPriority = classes.toSorted((a, b) => b.rules.priority - a.rules.priority);
    this.queue = new Queue(this.byPriority);
    this.deadlineUs = firstBatchDeadlineUs(classes);
  }

  /** Runs of one class are the rule, so the last answer is kept. */
  classOf(name: string): ClassState {
    return this.lastName === name ? this.lastOf : this.lookUp(name);
  }

  private lookUp(name: string): ClassState {
    this.lastName = name;
    this.lastOf = this.byName.get(name) ?? this.first;
    return this.lastOf;
  }

  get leased(): number {
    return this.leases.count;
  }

  get queued(): number {
    return this.queue.size;
  }

  get interactiveLeased(): number {
    return this.leases.interactive.size;
  }

  get oldestQueuedUs(): number {
    const { oldest } = this.queue;
    return oldest === undefined ? -1 : oldest.arrivedUs;
  }

  get oldestBatchUs(): number {
    const oldest = this.queue.oldestBatch();
    return oldest === undefined ? -1 : oldest.arrivedUs;
  }

  slackUs(nowUs: number): number | undefined {
    const oldest = this.queue.oldestBatch();
    if (oldest === undefined) return this.deadlineUs;
    const deadlineUs = deadlineOf(oldest) ?? this.deadlineUs;
    if (deadlineUs === undefined) return undefined;
    return deadlineUs - (nowUs - oldest.arrivedUs) - oldest.of.expected.slowUs();
  }

  longestHoldUs(kind: Kind, nowUs: number): number {
    const longest = this.leases.listOf(kind).head;
    return longest === undefined ? 0 : nowUs - longest.sinceUs;
  }

  predictedWaitUs(className: string, nowUs: number): number {
    const { priority } = this.classOf(className).rules;
    return predictWaitUs(this.leases, this.byPriority, this.policy.slots, priority, nowUs);
  }

  expectedComputeUs(className: string): number {
    return this.classOf(className).expected.slowUs();
  }
}

function firstBatchDeadlineUs(classes: readonly ClassState[]): number | undefined {
  for (const { rules } of classes) {
    if (rules.kind === 'batch' && rules.deadlineUs !== null) return rules.deadlineUs;
  }
  return undefined;
}
