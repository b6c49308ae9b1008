import type { ModelDriver } from './driver.ts';
import { ModelMachine } from './machine.ts';
import type { Run } from './requests.ts';
import { firstTokenUsOf } from './run-plan.ts';
import type { Effect, Input, Model, ModelConfig, PreemptCause, Work } from './types.ts';

type StartInput = Extract<Input, { type: 'start' }>;

/** Shared by all calls that have nothing to say; frozen, so that nobody can add to it. */
const NOTHING = Object.freeze([] as Effect[]) as Effect[];

/**
 * The model machine by its one door (DESIGN.md §1): inputs and effects are plain data, and requests
 * go by the number that the driver gave them. Everything due by `nowUs` happens first, then the
 * input. An id that is unknown to `cancel` or `preempt` is no error: the request may have ended in
 * the same instant. Throws on time that goes back and on a second `start` of an id that is here.
 */
export function createModel(config: ModelConfig): Model {
  return new DataDoor(config);
}

/** Drives the machine by what comes as data, and writes down what it tells. */
class DataDoor implements Model, ModelDriver {
  private readonly machine: ModelMachine;
  private readonly here = new Map<number, Run>();
  private out: Effect[] = NOTHING;

  constructor(config: ModelConfig) {
    this.machine = new ModelMachine(config, this);
  }

  get inService(): number {
    return this.machine.inService;
  }

  get waiting(): number {
    return this.machine.waiting;
  }

  apply(input: Input, nowUs: number): Effect[] {
    this.out = NOTHING;
    this.machine.tick(nowUs);
    this.take(input, nowUs);
    return this.out;
  }

  private take(input: Input, nowUs: number): void {
    switch (input.type) {
      case 'start':
        this.start(input, nowUs);
        break;
      case 'cancel':
        this.cancel(input.id, nowUs);
        break;
      case 'preempt':
        this.preempt(input.id, nowUs);
        break;
      case 'configure':
        this.machine.configure(input.config, nowUs);
        break;
      case 'tick':
    }
  }

  private start(input: StartInput, nowUs: number): void {
    const { id, resumeTokens } = input;
    if (this.here.has(id)) throw new Error(`request ${id} is at the model already`);
    const run = this.machine.start(input, resumeTokens, nowUs);
    if (run === undefined) this.say({ type: 'failed', atUs: nowUs, id, why: 'too_large' });
    else this.here.set(id, run);
  }

  private cancel(id: number, nowUs: number): void {
    const run = this.here.get(id);
    if (run === undefined) return;
    this.here.delete(id);
    this.machine.cancel(run, nowUs);
  }

  private preempt(id: number | undefined, nowUs: number): void {
    const run = id === undefined ? undefined : this.here.get(id);
    if (id === undefined) this.machine.preemptAll(nowUs);
    else if (run !== undefined) this.machine.preempt(run, nowUs);
  }

  nextWakeUs(): number {
    return this.machine.nextWakeUs();
  }

  computeUs(nowUs: number): number {
    return this.machine.computeUs(nowUs);
  }

  tokens(id: number, nowUs: number): number | undefined {
    const run = this.here.get(id);
    return run && this.machine.tokens(run, nowUs);
  }

  nextTokenUs(id: number, nowUs: number): number | undefined {
    const run = this.here.get(id);
    return run && this.machine.nextTokenUs(run, nowUs);
  }

  memoryShare(): number {
    return this.machine.memoryShare();
  }

  // ── What the machine tells ────────────────────────────────────────────────────────────────

  started({ work }: Run, atUs: number): void {
    this.say({ type: 'started', atUs, id: idOf(work) });
  }

  finished(run: Run, atUs: number): void {
    const { work } = run;
    const id = this.forget(work);
    const firstTokenUs = firstTokenUsOf(run);
    this.say({ type: 'finished', atUs, id, firstTokenUs, outTokens: work.demand.outTokens });
  }

  preempted(
    { work }: Run,
    outTokens: number,
    checkpointTokens: number,
    why: PreemptCause,
    atUs: number,
  ): void {
    const id = this.forget(work);
    this.say({ type: 'preempted', atUs, id, outTokens, checkpointTokens, why });
  }

  private forget(work: Work): number {
    const id = idOf(work);
    this.here.delete(id);
    return id;
  }

  private say(effect: Effect): void {
    if (this.out === NOTHING) this.out = [effect];
    else this.out.push(effect);
  }
}

/** The machine hands back what it was given, and this door gives it inputs alone. */
function idOf(work: Work): number {
  return (work as StartInput).id;
}
