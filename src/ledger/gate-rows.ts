import { createAdmission } from '../admission/admission.ts';
import {
  type Admission,
  type Code,
  type Effect,
  type Input,
  type KillCode,
  queueAgeUs,
} from '../admission/types.ts';
import type { GateHeader, GateLine } from './lines.ts';
import type { DecisionRow, LeaseRow, RowSink, StateRow } from './rows.ts';

/** What the gate knows of one attempt. Instants are of the run's clock. */
export interface GateAttempt {
  readonly seq: number;
  readonly attempt: number;
  readonly class: string;
  readonly client: string | null;
  readonly doorUs: number;
  readonly doorAgeUs: number;
  grantUs: number | null;
  heldUs: number | null;
  /** null: neither granted nor turned away yet. */
  decision: DecisionRow['decision'] | null;
  /** Why it was turned away, killed or failed at a restart. */
  code: Code | KillCode | null;
  tokens: number;
  preempts: number;
  restartTokens: number;
  wouldReject: Code | null;
}

/** Folds a gate's recorded inputs through the admission machine again, and says what happened as rows. */
export class GateRows {
  private readonly admission: Admission;
  private readonly open = new Map<number, GateAttempt>();
  private readonly attempts = new Map<string, GateAttempt>();
  private last: StateRow | undefined;
  private busyBaseUs = 0;
  private rowUs = 0;

  /**
   * @param offsetUs the gate's clock minus the run's
   * @param lastReadUs when the client of a request last read something
   */
  constructor(
    header: GateHeader,
    private readonly offsetUs: number,
    private readonly sink: RowSink,
    private readonly lastReadUs: (seq: number) => number | null,
  ) {
    this.admission = createAdmission(header.config);
  }

  /** The attempt of a request, once all lines are taken. */
  attempt(seq: number, attempt: number): GateAttempt | undefined {
    return this.attempts.get(`${seq}.${attempt}`);
  }

  take(line: GateLine): void {
    if ('in' in line) this.input(line.in, line.t);
    else if ('busy' in line) this.busy(line.t, line.busy);
  }

  /** What is still open when the run ends. */
  end(atUs: number): void {
    const endUs = Math.max(atUs, this.rowUs);
    for (const attempt of [...this.open.values()]) {
      if (attempt.grantUs === null) this.decide(attempt, 'admitted', null, endUs);
      else this.endLease(attempt, 'open', endUs);
    }
    this.open.clear();
  }

  private input(input: Input, t: number): void {
    this.runDue(input, t);
    if (input.type === 'arrive') this.arrive(input, t);
    const before = this.slackAndAge(t);
    const told = this.beforeInput(input, t);
    const effects = this.admission.apply(input, t);
    this.hearAll(effects);
    if (input.type === 'preempted') this.preempt(input, told, before, t);
    this.sayState(t);
  }

  /** What was due before this input happens at its own instant, so that states have the right times. */
  private runDue(input: Input, t: number): void {
    const endsWork = input.type === 'release' || input.type === 'cancel' || input.type === 'kill';
    for (;;) {
      const dueUs = this.admission.nextWakeUs();
      if (dueUs > t || (dueUs === t && endsWork)) return;
      this.hearAll(this.admission.apply({ type: 'tick' }, dueUs));
      this.sayState(dueUs);
      if (dueUs === t) return;
    }
  }

  /** Gate time to run time; what came before the run began counts as its beginning. */
  private runUs(t: number): number {
    return Math.max(0, t - this.offsetUs);
  }

  private arrive(input: Extract<Input, { type: 'arrive' }>, t: number): void {
    const attempt: GateAttempt = {
      seq: input.seq,
      attempt: input.attempt,
      class: input.class,
      client: input.client ?? null,
      doorUs: this.runUs(t),
      doorAgeUs: queueAgeUs(this.admission.view, t),
      grantUs: null,
      heldUs: null,
      decision: null,
      code: null,
      tokens: 0,
      preempts: 0,
      restartTokens: 0,
      wouldReject: null,
    };
    this.open.set(input.id, attempt);
    this.attempts.set(`${input.seq}.${input.attempt}`, attempt);
  }

  /** The attempt that an input speaks of; a caller's own ends are settled here. */
  private beforeInput(input: Input, t: number): GateAttempt | undefined {
    const attempt = 'id' in input ? this.open.get(input.id) : undefined;
    if (attempt === undefined || !('id' in input)) return undefined;
    if (input.type === 'progress') attempt.tokens = input.tokens;
    if (input.type === 'release') this.close(input.id, attempt, input.outcome, t);
    if (input.type === 'cancel') this.close(input.id, attempt, 'cancelled', t);
    return attempt;
  }

  private close(id: number, attempt: GateAttempt, ended: LeaseRow['ended'], t: number): void {
    this.open.delete(id);
    if (attempt.grantUs !== null) this.endLease(attempt, ended, this.runUs(t));
    else this.decide(attempt, 'admitted', null, this.runUs(t));
  }

  private hearAll(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type === 'drained') continue;
      const attempt = this.open.get(effect.id);
      if (attempt !== undefined) this.hear(effect, attempt);
    }
  }

  private hear(effect: Exclude<Effect, { type: 'drained' }>, attempt: GateAttempt): void {
    const atUs = this.runUs(effect.atUs);
    if ('shadow' in effect) attempt.wouldReject ??= effect.shadow?.code ?? null;
    switch (effect.type) {
      case 'granted':
        attempt.grantUs = atUs;
        this.decide(attempt, 'admitted', null, atUs);
        break;
      case 'rejected':
      case 'expired':
        this.open.delete(effect.id);
        this.decide(attempt, effect.type, effect.code, atUs);
        break;
      case 'killed':
      case 'failed':
        this.open.delete(effect.id);
        attempt.code = effect.code;
        this.endLease(attempt, effect.type === 'killed' ? 'killed' : 'preempted', atUs);
        break;
      default:
        break;
    }
  }

  private decide(
    attempt: GateAttempt,
    decision: DecisionRow['decision'],
    code: Code | null,
    atUs: number,
  ): void {
    attempt.decision = decision;
    attempt.code = code;
    const { seq, attempt: number, class: name, doorAgeUs: ageUs } = attempt;
    const row = { kind: 'decision', seq, attempt: number, class: name, decision, code } as const;
    this.sink.decision({ ...row, atUs, ageUs });
  }

  private endLease(attempt: GateAttempt, ended: LeaseRow['ended'], atUs: number): void {
    const fromUs = attempt.grantUs ?? atUs;
    attempt.heldUs = atUs - fromUs;
    this.sink.lease?.({
      kind: 'lease',
      seq: attempt.seq,
      class: attempt.class,
      client: attempt.client,
      fromUs,
      toUs: atUs,
      ended,
      outTokens: attempt.tokens,
      lastReadUs: this.lastReadUs(attempt.seq),
    });
  }

  private slackAndAge(t: number): { slackUs: number | null; queueAgeUs: number } {
    const { view } = this.admission;
    return { slackUs: view.slackUs(t) ?? null, queueAgeUs: queueAgeUs(view, t) };
  }

  private preempt(
    input: Extract<Input, { type: 'preempted' }>,
    attempt: GateAttempt | undefined,
    before: { slackUs: number | null; queueAgeUs: number },
    t: number,
  ): void {
    if (attempt === undefined) return;
    const { promptTokens, outputTokens, checkpointTokens } = input;
    const restartTokens = Math.max(0, promptTokens + outputTokens - checkpointTokens);
    const replayed = this.open.has(input.id);
    attempt.preempts++;
    attempt.restartTokens += restartTokens;
    this.sink.preempt({
      kind: 'preempt',
      atUs: this.runUs(t),
      seq: attempt.seq,
      class: attempt.class,
      wastedTokens: replayed ? Math.max(0, outputTokens - checkpointTokens) : outputTokens,
      restartTokens,
      ...before,
      replayed,
    });
  }

  private busy(t: number, computeUs: number): void {
    const atUs = t - this.offsetUs;
    // What was computed before the run began (a warm-up) is not the run's.
    if (atUs <= 0) this.busyBaseUs = computeUs;
    else
      this.sink.busy({
        kind: 'busy',
        atUs: this.inOrder(atUs),
        computeUs: computeUs - this.busyBaseUs,
      });
  }

  /** A reading taken while the gate was in mid step may be a moment behind its last row. */
  private inOrder(atUs: number): number {
    this.rowUs = Math.max(this.rowUs, atUs);
    return this.rowUs;
  }

  private sayState(t: number): void {
    const { view } = this.admission;
    const row: StateRow = {
      kind: 'state',
      atUs: this.inOrder(this.runUs(t)),
      oldestUs: this.queuedSince(view.oldestQueuedUs),
      queued: view.queued,
      leased: view.leased,
      slots: view.policy.slots,
      slackUs: view.slackUs(t) ?? null,
      oldestBatchUs: this.queuedSince(view.oldestBatchUs),
    };
    if (this.last !== undefined && sameState(this.last, row)) return;
    this.last = row;
    this.sink.state(row);
  }

  private queuedSince(gateUs: number): number {
    return gateUs < 0 ? -1 : this.runUs(gateUs);
  }
}

/** Whether only time has passed. */
function sameState(a: StateRow, b: StateRow): boolean {
  return (
    a.queued === b.queued &&
    a.leased === b.leased &&
    a.slots === b.slots &&
    a.oldestUs === b.oldestUs &&
    a.oldestBatchUs === b.oldestBatchUs
  );
}
