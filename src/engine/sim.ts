/**
 * The simulator: the three machines in virtual time. What happens at one instant has a written
 * order: completions, expiries, preempts, callers, the operator, arrivals; then sequence.
 */
import { buildSchedule } from '../arrivals/build.ts';
import type { Arrival, Schedule } from '../arrivals/schedule.ts';
import { admissionConfig, clientConfig, modelConfig } from '../scenario/machines.ts';
import type { Scenario } from '../scenario/types.ts';
import { earlierUs, US_PER_S, usFromS } from '../units.ts';
import { follow, reportProgress, type ScriptStep } from './sim/script.ts';
import type { Sink } from './sim/sink.ts';
import { World } from './sim/world.ts';

export interface SimOptions {
  /** Where the rows go; see {@link Sink}. */
  readonly sink: Sink;
  /** Instead of the scenario's own. */
  readonly seed?: number;
  /** Instead of the one that the scenario and the seed give. */
  readonly schedule?: Schedule;
  /** Censor what is left at this instant, whatever `drainS` says. */
  readonly stopAfterUs?: number;
  /** No gate: arrivals go straight to the model. */
  readonly direct?: boolean;
  /** In order of time. */
  readonly script?: readonly ScriptStep[];
}

/** How a simulation ended. */
export interface SimEnd {
  readonly endUs: number;
  /** True where it would not have ended by itself (a request that restarts for ever, say) and was cut off. */
  readonly cutOff: boolean;
}

/** The gate hears of tokens once a second, and only where a rule looks at them. */
const PROGRESS_US = US_PER_S;
/** Sends and starts, for each arrival, after which a run is not going to end by itself. */
const EFFORTS_PER_ARRIVAL = 1000;

/**
 * Plays a scenario in virtual time and tells the sink what happened. It always ends: when nothing
 * is left, `drainS` after the last instant of the scenario, or when requests are tried and started
 * again a thousand times as often as they arrived.
 * @throws an Error where the schedule has a class that the scenario has not
 */
export function simulate(scenario: Scenario, options: SimOptions): SimEnd {
  const seeded = options.seed === undefined ? scenario : { ...scenario, seed: options.seed };
  const schedule = options.schedule ?? buildSchedule(seeded, seeded.seed);
  return new Run(seeded, schedule.arrivals, options).play();
}

class Run {
  private readonly client;
  private readonly gate;
  private readonly model;
  private readonly world: World;
  private readonly script: readonly ScriptStep[];
  private readonly stopUs: number;
  private nowUs = 0;
  private nextArrival = 0;
  private arrivalUs: number;
  private nextStep = 0;
  private progressUs = Infinity;

  constructor(
    scenario: Scenario,
    private readonly arrivals: readonly Arrival[],
    options: SimOptions,
  ) {
    this.world = new World({
      client: clientConfig(scenario),
      gate: options.direct ? undefined : admissionConfig(scenario),
      model: modelConfig(scenario),
      classes: scenario.classes,
      resumes: scenario.model.resume,
      maxInFlight: scenario.maxInFlight,
      sink: options.sink,
    });
    this.client = this.world.client;
    this.gate = this.world.gate;
    this.model = this.world.model;
    this.arrivalUs = this.arrivalUsOf(0);
    this.script = options.script ?? [];
    this.stopUs = options.stopAfterUs ?? drainEndUs(scenario);
    this.watchProgress();
  }

  play(): SimEnd {
    const mostEfforts = EFFORTS_PER_ARRIVAL * (this.arrivals.length + 1);
    while (this.isAlive() && this.world.efforts < mostEfforts && this.step()) {}
    const cutOff = this.isAlive() && this.world.efforts >= mostEfforts;
    if (this.isAlive()) this.stop(cutOff ? this.nowUs : this.stopUs);
    if (cutOff) this.leaveOut();
    this.world.settleInstant(this.nowUs);
    return { endUs: this.nowUs, cutOff };
  }

  private isAlive(): boolean {
    return this.client.open > 0 || this.nextArrival < this.arrivals.length;
  }

  /** One thing that happens; false when none happens before the end. */
  private step(): boolean {
    const { world, gate } = this;
    const modelUs = this.model.nextWakeUs();
    const gateUs = gate === undefined ? Infinity : gate.nextWakeUs();
    const clientUs = this.client.nextWakeUs();
    const serverUs = earlierUs(modelUs, gateUs);
    const callerUs = earlierUs(clientUs, this.arrivalUs);
    const machinesUs = earlierUs(serverUs, callerUs);
    const outsideUs = this.isLeftAlone() ? Infinity : this.outsideUs(machinesUs);
    const { hasFinished, hasPreempts } = world;
    const isBehind = hasFinished || hasPreempts;
    const dueUs = isBehind ? this.nowUs : earlierUs(machinesUs, outsideUs);
    if (dueUs > this.stopUs || dueUs === Infinity) return false;
    if (dueUs > this.nowUs) this.moveTo(dueUs);
    const { nowUs } = this;
    if (modelUs <= nowUs || hasFinished) world.tickModel(nowUs);
    else if (gateUs <= nowUs) world.tickGate(nowUs);
    else if (hasPreempts) world.hearPreempt(nowUs);
    else if (clientUs <= nowUs) this.client.tick(nowUs);
    else if (outsideUs <= nowUs) this.interfere();
    else this.arrive();
    return true;
  }

  /** No step of the script is to come (more may be added while it runs), and nobody wants reports. */
  private isLeftAlone(): boolean {
    return this.nextStep >= this.script.length && this.progressUs === Infinity;
  }

  /** The next step of the script or report on the leases. A report alone changes nothing: it would go on for ever. */
  private outsideUs(othersUs: number): number {
    const stepUs = this.script[this.nextStep]?.atUs ?? Infinity;
    return Math.min(othersUs, stepUs) === Infinity ? Infinity : Math.min(stepUs, this.progressUs);
  }

  private moveTo(nowUs: number): void {
    if (this.world.isUnsettled) this.world.settleInstant(this.nowUs);
    this.nowUs = nowUs;
  }

  private arrive(): void {
    const arrival = this.arrivals[this.nextArrival++];
    this.arrivalUs = this.arrivalUsOf(this.nextArrival);
    if (arrival !== undefined) this.world.arrive(arrival, this.nowUs);
  }

  private arrivalUsOf(seq: number): number {
    const arrival = this.arrivals[seq];
    return arrival === undefined ? Infinity : arrival.atUs;
  }

  /** The next step of the script, else the report on the leases. */
  private interfere(): void {
    const step = this.script[this.nextStep];
    if (step === undefined || step.atUs > this.nowUs) {
      reportProgress(this.world, this.nowUs);
      this.progressUs += PROGRESS_US;
      return;
    }
    this.nextStep++;
    follow(step, this.world, this.nowUs);
    this.watchProgress();
  }

  private watchProgress(): void {
    const watched = this.gate !== undefined && this.gate.view.policy.killWindowUs !== null;
    if (!watched) this.progressUs = Infinity;
    else if (this.progressUs === Infinity) this.progressUs = this.nowUs + PROGRESS_US;
  }

  /** Whoever was to come after a run was cut off is counted all the same: never sent. */
  private leaveOut(): void {
    while (this.nextArrival < this.arrivals.length) {
      const arrival = this.arrivals[this.nextArrival++];
      if (arrival !== undefined) this.world.leaveOut(arrival);
    }
  }

  private stop(atUs: number): void {
    // Nothing is due and yet somebody waits for an answer that will never come.
    const endUs = Number.isFinite(atUs) ? Math.max(atUs, this.nowUs) : this.nowUs;
    if (endUs > this.nowUs) this.moveTo(endUs);
    this.world.stop(this.nowUs);
  }
}

function drainEndUs({ durationS, drainS }: Scenario): number {
  return drainS === null ? Infinity : usFromS(durationS + drainS);
}
