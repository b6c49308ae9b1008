import type {
  BusyRow,
  DecisionRow,
  LeaseRow,
  Pace,
  PreemptRow,
  RequestRow,
  RowSink,
  StateRow,
} from '../ledger/rows.ts';
import type { Scenario } from '../scenario/types.ts';
import { US_PER_S, usFromS } from '../units.ts';
import type { Verdict } from '../verdicts/types.ts';
import { ByAge } from './by-age.ts';
import { type Draft, type Figures, partsOf, putCounts, putTimes, putWork } from './figures.ts';
import { GateTime } from './gate-time.ts';
import { exactHealth, healthOf } from './health.ts';
import { PreemptWork } from './preempt-work.ts';
import { Samples } from './samples.ts';
import { SeriesFold } from './series.ts';
import { Tally, TIMES, type Time } from './tally.ts';
import { Timeline } from './timeline.ts';
import type { AgeBin, Environment, LossSplit, Result } from './types.ts';

export interface FoldOptions {
  /** `figures`: counts, quantiles and utilization only, which is all that a sweep needs. */
  readonly detail: 'figures' | 'full';
  /** Whose quantiles are wanted of all classes together; left out: all. Sorting them is dear in a search. */
  readonly times?: readonly Time[];
}

/** What the rows do not say. */
export interface FinishContext {
  readonly engine: Result['engine'];
  /** SHA-256 of the resolved scenario. */
  readonly scenarioDigest: string;
  readonly seed: number;
  readonly timeScale: number;
  readonly schedule: Result['schedule'];
  /** Left out by an exact engine: every request was sent when it was intended. */
  readonly pace?: Pace;
  readonly interrupted?: boolean;
  readonly environment: Environment;
  readonly verdicts?: readonly Verdict[];
  readonly lossSplit?: LossSplit | null;
  /** Said on a run that is sound. */
  readonly notes?: readonly string[];
}

/**
 * Rows go in one by one; figures or a result come out. The kinds that no figure is made of have
 * no method where only figures are wanted, so that their teller need not work them out.
 */
export interface Fold extends RowSink {
  /** The numbers alone. Ends the fold: no row may follow. */
  figures(): Figures;
  /** The age bins of a `full` fold, after `figures` or `finish`. */
  byQueueAge(): AgeBin[];
  /** The whole result. Charts are empty where only figures were asked for. */
  finish(context: FinishContext): Result;
}

/** Folds the rows of one run into its result, by the definitions of DESIGN.md §5. */
export function createFold(scenario: Scenario, options: FoldOptions): Fold {
  const fold = new ResultFold(scenario, options.detail === 'full', options.times ?? TIMES);
  const figures: Fold = {
    request: (row) => fold.request(row),
    state: (row) => fold.state(row),
    busy: (row) => fold.busy(row),
    decision: (row) => fold.decision(row),
    preempt: (row) => fold.preempt(row),
    figures: () => fold.figures(),
    byQueueAge: () => fold.byQueueAge(),
    finish: (context) => fold.finish(context),
  };
  if (options.detail === 'figures') return figures;
  return { ...figures, lease: (row) => fold.lease(row) };
}

/** Times that each class reports, beside those of all. */
const CLASS_TIMES: readonly Time[] = ['response', 'wait', 'refusal', 'held'];

type Decided = Pick<DecisionRow, 'decision' | 'ageUs'>;

interface Charts {
  readonly byAge: ByAge;
  readonly timeline: Timeline;
  readonly series: SeriesFold;
  readonly intendedUs: Samples;
}

class ResultFold {
  private readonly tallies: Map<string, Tally>;
  private readonly charts: Charts | null;
  private readonly gate: GateTime;
  private readonly warmupUs: number;
  private readonly durationUs: number;
  private readonly codes: Record<string, number> = {};
  private rejectedAttempts = 0;
  private readonly preempted: PreemptWork;
  /** Decisions of requests that have not ended, where a warm-up may drop them. */
  private readonly undecided = new Map<number, Decided[]>();
  private endUs: number;
  private done: { figures: Figures; sorted: Map<Time, Float64Array> } | undefined;

  constructor(
    private readonly scenario: Scenario,
    full: boolean,
    private readonly wanted: readonly Time[],
  ) {
    this.warmupUs = usFromS(scenario.warmupS);
    this.preempted = new PreemptWork(this.warmupUs > 0);
    this.durationUs = usFromS(scenario.durationS);
    this.endUs = this.durationUs;
    this.tallies = new Map(
      Object.entries(scenario.classes).map(([name]) => [name, this.tally(name)]),
    );
    this.charts = full ? this.createCharts() : null;
    const watchers = this.charts === null ? [] : [this.charts.byAge, this.charts.timeline];
    const { slots } = scenario.gate;
    this.gate = new GateTime(this.durationUs, slots, scenario.model.slots, watchers);
  }

  private createCharts(): Charts {
    const { durationS, model } = this.scenario;
    return {
      byAge: new ByAge(this.durationUs, model.slots),
      timeline: new Timeline(durationS, model.slots),
      series: this.createSeries(),
      intendedUs: new Samples(),
    };
  }

  private createSeries(): SeriesFold {
    const { classes } = this.scenario;
    return new SeriesFold((name) => classes[name]?.deadlineS ?? null);
  }

  private tally(name: string): Tally {
    return new Tally(usFromS(this.scenario.classes[name]?.sloS ?? this.scenario.sloS));
  }

  private tallyOf(name: string): Tally {
    const known = this.tallies.get(name);
    if (known !== undefined) return known;
    const tally = this.tally(name);
    this.tallies.set(name, tally);
    return tally;
  }

  request(row: RequestRow): void {
    const tally = this.tallyOf(row.class);
    const breached = tally.breaches(row);
    if (row.endUs > this.endUs) this.endUs = row.endUs;
    this.charts?.intendedUs.push(row.intendedUs);
    this.charts?.timeline.request(row, breached);
    const counts = row.intendedUs >= this.warmupUs;
    if (this.warmupUs > 0) this.countDecisionsOf(row.seq, counts);
    if (!counts) {
      this.preempted.warmup(row.seq);
      return;
    }
    tally.add(row);
    this.countCodes(row);
    this.charts?.series.request(row);
    if (breached && row.doorAgeUs !== null) this.charts?.byAge.breach(row.doorAgeUs);
  }

  private countCodes(row: RequestRow): void {
    const section = codeSection(row);
    if (section !== null) this.countCode(`${section}.${row.code ?? 'unknown'}`);
    if (row.wouldReject !== null) this.countCode(`wouldReject.${row.wouldReject}`);
  }

  private countCode(path: string): void {
    this.codes[path] = (this.codes[path] ?? 0) + 1;
  }

  decision(row: DecisionRow): void {
    this.charts?.timeline.decision(row);
    if (this.warmupUs === 0) this.countDecision(row.decision, row.ageUs);
    else this.waitForRequest(row);
  }

  private countDecision(decision: Decided['decision'], ageUs: number): void {
    if (decision === 'rejected') this.rejectedAttempts++;
    this.charts?.byAge.decision(decision, ageUs);
  }

  /** Only the row of the request tells whether it arrived in the warm-up. */
  private waitForRequest({ seq, decision, ageUs }: DecisionRow): void {
    const decided = this.undecided.get(seq) ?? [];
    decided.push({ decision, ageUs });
    this.undecided.set(seq, decided);
  }

  private countDecisionsOf(seq: number, counts: boolean): void {
    const decided = this.undecided.get(seq) ?? [];
    this.undecided.delete(seq);
    if (counts) for (const { decision, ageUs } of decided) this.countDecision(decision, ageUs);
  }

  state(row: StateRow): void {
    this.gate.state(row);
  }

  busy(row: BusyRow): void {
    this.gate.busy(row);
  }

  lease(row: LeaseRow): void {
    this.charts?.series.lease(row);
  }

  preempt(row: PreemptRow): void {
    this.preempted.preempt(row);
    this.charts?.series.preempt(row);
  }

  figures(): Figures {
    return this.end().figures;
  }

  byQueueAge(): AgeBin[] {
    this.end();
    return this.charts?.byAge.rows() ?? [];
  }

  private end(): { figures: Figures; sorted: Map<Time, Float64Array> } {
    if (this.done !== undefined) return this.done;
    this.gate.end(this.endUs);
    const draft: Draft = {};
    const tallies = [...this.tallies.values()];
    const { rejectedAttempts } = this;
    putWork(draft, tallies, { rejectedAttempts, preempted: this.preempted.total() });
    Object.assign(draft, this.codes);
    const sorted = this.putAllTimes(draft, tallies);
    this.putGate(draft);
    this.putClasses(draft);
    this.done = { figures: draft, sorted };
    return this.done;
  }

  private putAllTimes(draft: Draft, tallies: readonly Tally[]): Map<Time, Float64Array> {
    const overall = this.wanted.filter((time) => time !== 'held');
    return new Map(
      overall.map((time) => {
        const parts = tallies.map((tally) => tally.times[time]);
        return [time, putTimes(draft, '', time, parts)];
      }),
    );
  }

  private putGate(draft: Draft): void {
    const gate = this.gate.figures();
    draft['utilization.slots'] = gate.slots;
    draft['utilization.busy'] = gate.busy;
    draft['queueAgeS.mean'] = gate.meanAgeS;
    draft['queueAgeS.p99'] = gate.p99AgeS;
    draft['queueAgeS.max'] = gate.maxAgeS;
  }

  private putClasses(draft: Draft): void {
    for (const [name, tally] of this.tallies) {
      const prefix = `byClass.${name}.`;
      putCounts(draft, prefix, tally.counts);
      if (this.charts === null) continue;
      for (const time of CLASS_TIMES) putTimes(draft, prefix, time, [tally.times[time]]);
    }
  }

  finish(context: FinishContext): Result {
    const { figures } = this.end();
    const { scenario } = this;
    return {
      schemaVersion: 1,
      engine: context.engine,
      scenario: { name: scenario.name, digest: context.scenarioDigest, resolved: scenario },
      seed: context.seed,
      replications: 1,
      timeScale: context.timeScale,
      schedule: context.schedule,
      health: this.health(context, figures),
      ...partsOf(figures, [...this.tallies.keys()]),
      lossSplit: context.lossSplit ?? null,
      byQueueAge: this.byQueueAge(),
      timeline: this.charts?.timeline.rows() ?? [],
      series: this.seriesRows(),
      verdicts: context.verdicts ?? [],
      environment: context.environment,
    };
  }

  private health(context: FinishContext, figures: Figures): Result['health'] {
    const { durationS, sloS } = this.scenario;
    const interrupted = context.interrupted ?? false;
    const unsent = figures['outcomes.unsent'] ?? 0;
    const asked = { count: context.schedule.count, durationS, interrupted, unsent };
    const { timeScale } = context;
    const health =
      context.pace === undefined
        ? exactHealth(this.charts?.intendedUs.toArray() ?? new Float64Array(0), asked)
        : healthOf(context.pace, { ...asked, sloS, timeScale });
    return { ...health, notes: [...health.notes, ...(context.notes ?? [])] };
  }

  private seriesRows(): Result['series'] {
    const { sorted } = this.end();
    const none = new Float64Array(0);
    const series = this.charts?.series ?? this.createSeries();
    return series.rows(
      sorted.get('response') ?? none,
      sorted.get('wait') ?? none,
      this.durationUs / US_PER_S,
    );
  }
}

/** Where the code of a request is counted: the sums are turned away, and what ended badly. */
function codeSection(row: RequestRow): 'rejectedBy' | 'failedBy' | null {
  switch (row.outcome) {
    case 'rejected':
    case 'expired':
      return 'rejectedBy';
    case 'failed':
    case 'killed':
    case 'undecided':
      return 'failedBy';
    default:
      return null;
  }
}
