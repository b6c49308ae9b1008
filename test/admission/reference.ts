import type { ArriveInput, ClassRules, Input, Policy } from '../../src/admission/types.ts';

interface Entry {
  readonly request: ArriveInput;
  readonly rules: ClassRules;
  readonly arrivedUs: number;
  readonly order: number;
  shadowed: boolean;
  sinceUs: number | null;
  grant: number;
}

interface DueItem {
  readonly atUs: number;
  readonly rank: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * The gate again, as slowly and plainly as it can be said: one array, one microsecond at a time,
 * everything searched for. It knows the door (save slack and prediction), the queue, the limits.
 */
export class Reference {
  private entries: Entry[] = [];
  private said: string[] = [];
  private nowUs = 0;
  private count = 0;
  private saidDrained = false;

  constructor(
    private policy: Policy,
    private readonly classes: Readonly<Record<string, ClassRules>>,
  ) {}

  get queued(): Entry[] {
    return this.entries.filter((e) => e.sinceUs === null);
  }

  get leased(): Entry[] {
    return this.entries.filter((e) => e.sinceUs !== null);
  }

  apply(input: Input, nowUs: number): string[] {
    this.said = [];
    while (this.nowUs < nowUs) {
      this.runDue();
      this.nowUs++;
    }
    if (!['release', 'cancel', 'kill'].includes(input.type)) this.runDue();
    this.handle(input);
    if (this.policy.mode === 'drain' && this.entries.length === 0 && !this.saidDrained) {
      this.saidDrained = true;
      this.say('drained');
    }
    return this.said;
  }

  private say(text: string): void {
    this.said.push(`${this.nowUs}: ${text}`);
  }

  private handle(input: Input): void {
    if (input.type === 'arrive') this.arrive(input);
    if (input.type === 'release' || input.type === 'cancel') this.leave(input.id);
    if (input.type === 'kill') this.kill(input.id, 'operator');
    if (input.type === 'configure') this.configure(input.policy);
    if (input.type === 'drain') this.configure({ mode: 'drain' });
  }

  private arrive(request: ArriveInput): void {
    const rules = this.classes[request.class]!;
    const { mode, upstreamDown, slots } = this.policy;
    const stop =
      mode === 'drain'
        ? 'draining'
        : upstreamDown
          ? 'upstream_down'
          : mode === 'reject_preempt_budget'
            ? 'preempt_budget'
            : undefined;
    const rule = mode === 'admit-always' ? undefined : this.firstRule(request, rules);
    if (stop !== undefined || (rule !== undefined && mode !== 'shadow')) {
      this.say(`rejected ${request.id} ${stop ?? rule}`);
      return;
    }
    const shadow = rule === undefined ? '' : ` (${rule})`;
    const free = this.leased.length < slots;
    this.say(`${free ? 'granted' : 'queued'} ${request.id}${shadow}`);
    this.entries.push({
      request,
      rules,
      arrivedUs: this.nowUs,
      order: this.count++,
      shadowed: rule !== undefined,
      sinceUs: free ? this.nowUs : null,
      grant: free ? this.count++ : -1,
    });
  }

  private firstRule(request: ArriveInput, rules: ClassRules): string | undefined {
    const { policy } = this;
    const full = this.leased.length >= policy.slots;
    const oldest = this.queued[0];
    const interactive = rules.kind === 'interactive';
    const checks: [string, boolean][] = [
      [
        'queue_age',
        policy.ageRejectUs !== null &&
          oldest !== undefined &&
          this.nowUs - oldest.arrivedUs > policy.ageRejectUs,
      ],
      [
        'queue_depth',
        policy.depthMultiple !== null &&
          full &&
          this.queued.length > policy.depthMultiple * policy.slots,
      ],
      [
        'queue_capacity',
        full &&
          (!rules.mayQueue ||
            (policy.queueCapacity !== null && this.queued.length >= policy.queueCapacity)),
      ],
      ['interactive_cap', interactive && this.interactiveLeased() >= this.cap()],
      [
        'retry_budget',
        interactive && policy.retryBudget !== null && request.attempt > policy.retryBudget,
      ],
    ];
    return checks.find(([, refuses]) => refuses)?.[0];
  }

  private interactiveLeased(): number {
    return this.leased.filter((e) => e.rules.kind === 'interactive').length;
  }

  private cap(): number {
    return this.policy.interactiveCap ?? (this.policy.rejectInteractive ? Infinity : 1);
  }

  private get enforced(): boolean {
    return this.policy.mode !== 'shadow' && this.policy.mode !== 'admit-always';
  }

  private leave(id: number): void {
    this.remove(id);
    this.dispatch();
  }

  private remove(id: number): void {
    this.entries = this.entries.filter((e) => e.request.id !== id);
  }

  private kill(id: number, code: string): void {
    if (!this.leased.some((e) => e.request.id === id)) return;
    this.remove(id);
    this.say(`killed ${id} ${code}`);
    this.dispatch();
  }

  private expire(id: number, code: string): void {
    this.remove(id);
    this.say(`expired ${id} ${code}`);
  }

  private dispatch(): void {
    while (this.leased.length < this.policy.slots) {
      const capped = this.enforced && this.interactiveLeased() >= this.cap();
      const next = this.queued
        .filter((e) => !(capped && e.rules.kind === 'interactive'))
        .sort((a, b) => b.rules.priority - a.rules.priority || a.order - b.order)[0];
      if (next === undefined) return;
      const over =
        this.policy.mode === 'shadow' &&
        !next.shadowed &&
        this.policy.maxWaitUs !== null &&
        this.nowUs - next.arrivedUs > this.policy.maxWaitUs;
      next.sinceUs = this.nowUs;
      next.grant = this.count++;
      this.say(`granted ${next.request.id}${over ? ' (max_wait)' : ''}`);
    }
  }

  private configure(patch: Partial<Policy>): void {
    this.policy = { ...this.policy, ...patch };
    if (this.policy.mode !== 'drain') this.saidDrained = false;
    if (this.policy.upstreamDown) {
      const code = this.policy.mode === 'drain' ? 'draining' : 'upstream_down';
      for (const each of this.queued) this.expire(each.request.id, code);
    }
    this.runDue();
    this.dispatch();
  }

  private runDue(): void {
    for (;;) {
      const [first] = this.due().sort(
        (a, b) => a.atUs - b.atUs || a.rank - b.rank || a.order - b.order,
      );
      if (first === undefined || first.atUs > this.nowUs) return;
      first.run();
    }
  }

  private due(): DueItem[] {
    if (!this.enforced) return [];
    const { maxHoldUs, maxWaitUs } = this.policy;
    const holds = this.leased.map((e) => ({
      atUs: (e.sinceUs ?? 0) + (maxHoldUs ?? Infinity),
      rank: 0,
      order: e.grant,
      run: () => this.kill(e.request.id, 'max_hold'),
    }));
    const waits = this.queued.flatMap((e) => [
      {
        atUs: e.arrivedUs + (maxWaitUs ?? Infinity),
        rank: 1,
        order: e.order,
        run: () => this.expire(e.request.id, 'max_wait'),
      },
      {
        atUs: e.arrivedUs + (e.request.deadlineUs ?? Infinity),
        rank: 2,
        order: e.order,
        run: () => this.expire(e.request.id, 'slack_zero'),
      },
    ]);
    return [...holds, ...waits];
  }
}
