/**
 * What `sweep` and `tune` print with `--json`, `schemaVersion` 1: documents that hold the figures
 * of results by setting. No time stamps: the same seed gives the same bytes, and advice has the day
 * on which it was given (`SOURCE_DATE_EPOCH` sets it). Shares are 0 to 1.
 */
import type { FigureParts } from '../result/figures.ts';
import type { Figure, LossSplit, Replicated } from '../result/types.ts';
import type { Setting } from './setting.ts';

/** Where the figures come from. */
export interface Origin {
  readonly engine: 'sim' | 'live';
  readonly target: 'none' | 'stub' | 'endpoint';
  /** True where no real server was measured: no recommendation for one from it. */
  readonly simulated: boolean;
}

/** What a document is about. */
export interface Subject {
  readonly name: string;
  readonly digest: string;
  readonly description: string;
  readonly sloS: number;
  readonly durationS: number;
  readonly slots: number;
}

/** A mean difference on common random numbers and its 95 % interval. */
export interface Difference {
  readonly mean: number;
  readonly lo: number;
  readonly hi: number;
}

export interface SweepSetting {
  readonly setting: Setting;
  readonly figures: FigureParts;
  /** Minus the first setting, paired by replication; null with one replication, and of no data. */
  readonly difference: {
    readonly rejection: Difference | null;
    readonly breach: Difference | null;
    readonly goodput: Difference | null;
  };
}

export interface SweepDocument {
  readonly schemaVersion: 1;
  readonly kind: 'sweep';
  readonly origin: Origin;
  readonly scenario: Subject;
  readonly seed: number;
  readonly replications: number;
  readonly axes: readonly { readonly path: string; readonly values: readonly unknown[] }[];
  readonly settings: readonly SweepSetting[];
  /** Of a replay: how much of the demand was never observed. */
  readonly replay?: {
    readonly arrivals: number;
    readonly observed: number;
    readonly drawn: number;
    readonly share: number;
  };
  /** What a reader has to know, e.g. that a run was generator-limited. */
  readonly notes: readonly string[];
}

/** The figures that a tuner weighs, of one setting in one scenario. */
export interface Weighed {
  /** (rejected + expired) / offered. */
  readonly rejection: Figure;
  /** Not served at all: turned away, given up, never sent; of offered. */
  readonly unserved: Figure;
  readonly breach: Figure;
  readonly goodput: Figure;
  readonly waitP99S: Figure;
  readonly responseP95S: Figure;
  readonly responseP99S: Figure;
  /** How long the turned away were kept, 95th percentile. */
  readonly refusalP95S: Figure;
}

export interface ScenarioFigures {
  readonly scenario: string;
  readonly figures: Weighed;
}

/** A setting that was tried, with what it does in each scenario. */
export interface TriedSetting {
  readonly setting: Setting;
  readonly byScenario: readonly ScenarioFigures[];
  /** Loss of offered against the best allowed setting, in the scenario where that is greatest; null where it is refused or beaten. */
  readonly regret: number | null;
  /** Whether it is within .01 of offered of the best and allowed. */
  readonly flat: boolean;
  /** Why it may not be chosen; null where it may. */
  readonly refused: string | null;
  /** By how much it misses that, a share; 0 where it may. */
  readonly miss: number;
  /** An allowed setting that serves more in time and fewer late, so that this one is passed over. */
  readonly beatenBy: Setting | null;
}

/** A rule beside what is tuned, or the ends that every setting stands between. */
export interface Baseline {
  readonly name: 'present' | 'no gate' | 'depth cap' | 'age rule' | 'wait limit' | 'predicted wait';
  readonly setting: Setting;
  readonly byScenario: readonly ScenarioFigures[];
  /** Whether it keeps the conditions of the objective and the floors, in every scenario whose gate is not kept beside others. */
  readonly allowed: boolean;
  /** The same in each scenario. */
  readonly allowedIn: readonly boolean[];
  /** Of the chosen setting minus this one: goodput, in the binding scenario. */
  readonly gain: Difference | null;
  /** The same in each scenario. */
  readonly gainIn: readonly (Difference | null)[];
  /** How often it was played in each scenario. */
  readonly runsIn: readonly number[];
  /** The best value stands at the end of what was tried. */
  readonly atEdge: boolean;
}

export interface Sensitivity {
  readonly change: string;
  /** Of what is advised: the setting to make, or the present one where that is kept. */
  readonly advised: Weighed;
  readonly present: Weighed;
  /** Goodput of the present setting minus the advised one's; null of one run. */
  readonly presentMore: Difference | null;
  /** What the best would serve more in time, of offered, of the settings tried that keep the limit on late ones. */
  readonly regret: number | null;
  readonly holds: boolean;
  /** Why the world could not be made, so that its figures are of the one described and nothing holds in it. */
  readonly notMade?: string | undefined;
  /** Where it fails: a setting that holds there and costs little in the world as described. */
  readonly cure: Cure | null;
}

export interface Cure {
  readonly setting: Setting;
  /** In the changed world. */
  readonly figures: Weighed;
  /** What it serves less in time than the advised one in the world as described, of offered. */
  readonly cost: number;
}

export interface Loser {
  readonly group: string;
  readonly chosen: number | null;
  readonly present: number | null;
  readonly noGate: number | null;
  /** Least goodput that is allowed. */
  readonly floor: number | null;
  readonly lost: boolean;
}

/** What the inputs are known from. */
export interface Evidence {
  readonly services: 'declared' | 'observed';
  /** Observed service times. */
  readonly n: number | null;
  readonly arrivals: number | null;
  /** Whether anybody arrived in any run. */
  readonly arrived: boolean;
  readonly enough: boolean;
  /** Offered work / slots in the busiest tenth of the run. */
  readonly peakLoad: number;
  readonly overload: boolean;
  readonly text: string;
}

/** Until when advice may be acted on: days, `2026-11-29`. */
export interface Expiry {
  readonly advisedOn: string;
  /** Of the oldest run that it rests on; null where nothing was measured. */
  readonly measuredOn: string | null;
  readonly remeasureBy: string;
}

export interface SlotsNeeded {
  /** Whose slots are counted: the endpoint's, where it works on fewer requests at a time than the gate lets in. */
  readonly at: 'gate' | 'endpoint';
  readonly target: number;
  readonly present: number;
  /** null where no number that was tried is enough. */
  readonly needed: number | null;
  /** The gate under which they are counted. */
  readonly under: GateAtSlots;
  readonly curve: readonly { readonly slots: number; readonly goodput: Figure }[];
  /** The same under the other gates. */
  readonly others: readonly { readonly under: GateAtSlots; readonly needed: number | null }[];
}

export interface SlotsElsewhere {
  readonly scenario: string;
  readonly slotsNeeded: SlotsNeeded | null;
}

/** What the gate does at a number of slots: a threshold for a starved pool may be wrong for a larger one. */
export type GateAtSlots = 'present' | 'chosen' | 'no rule';

export interface Verification {
  readonly setting: Setting;
  readonly role: 'chosen' | 'present';
  readonly timeScale: number;
  readonly target: Origin['target'];
  readonly status: string;
  readonly figures: readonly {
    readonly path: string;
    readonly predicted: Replicated['band'] | null;
    readonly measured: number | null;
    /** In the band, give or take one request; null where the run cannot be trusted. */
    readonly inside: boolean | null;
  }[];
}

export interface Recommendation {
  readonly action: 'keep' | 'set' | 'none' | 'not-enough-evidence';
  /** Action first: `SET maxWaitS 40 -> 30. ADD SLOTS: 16 -> 24.` */
  readonly headline: string;
  readonly label: string;
  /** What `chosen` is: the setting to make, the present one, or the best of what was tried, which is not advised. */
  readonly chosenIs: 'chosen' | 'kept' | 'best tried';
  /** `APART`, `WHY`, `RULES`, `BUY`, `RANGE`, `COST`, `DO`, `CHECK`, `STILL`, `VALID`, in order. */
  readonly lines: readonly { readonly name: string; readonly text: string }[];
}

export interface TuneDocument {
  readonly schemaVersion: 1;
  readonly kind: 'tune';
  /** The version that gave the advice: another may advise otherwise. */
  readonly loadline: string;
  readonly origin: Origin;
  readonly scenarios: readonly Subject[];
  readonly seed: number;
  /** Runs of the settings that were tried, of the present one and of no gate. */
  readonly replications: number;
  /** Runs of what is only compared roughly: in changed worlds, and of each number of slots. */
  readonly fewReplications: number;
  readonly objective: 'admit' | 'goodput';
  /** null: no condition. */
  readonly maxBreach: number | null;
  readonly params: readonly { readonly path: string; readonly values: readonly unknown[] }[];
  /** First of all: what the present setting loses, and to what. */
  readonly lossSplit:
    | (LossSplit & {
        readonly scenario: string;
        readonly goodput: number;
        /** Of what is lost to capacity: services that alone outlast the SLO, which no slots serve in time. */
        readonly tooLong: Figure;
      })
    | null;
  readonly recommendation: Recommendation;
  /** null where nothing can be recommended. */
  readonly chosen: {
    readonly setting: Setting;
    readonly rule: string;
    readonly unit: string;
    readonly byScenario: readonly ScenarioFigures[];
    /** By parameter: 95 % interval of the best value, over simulator noise and what the inputs are known from. */
    readonly interval: Readonly<Record<string, readonly [number, number]>>;
    /** By parameter: least and greatest value within .01 of offered of the best. */
    readonly flatRegion: Readonly<Record<string, readonly [number, number]>>;
    /** The nearest value beyond the flat region that was tried, and what it costs. */
    readonly cliff: readonly Cliff[];
    /** The chosen value is the first or the last of the range, and the range is not all alike. */
    readonly atEdge: boolean;
    readonly binding: string;
  } | null;
  readonly evidence: Evidence;
  readonly expiry: Expiry;
  /** Gates, or workers, that share the limits; null: nobody said. */
  readonly replicas: number | null;
  readonly tried: readonly TriedSetting[];
  readonly baselines: readonly Baseline[];
  /** Of the scenario that the advice is told of. */
  readonly slotsNeeded: SlotsNeeded | null;
  /** Of each of the others. */
  readonly slotsElsewhere: readonly SlotsElsewhere[];
  /** Where a setting FAILS in a changed world: late of the served, and below the best, of offered. */
  readonly limits: { readonly late: number; readonly below: number };
  readonly sensitivity: readonly Sensitivity[];
  readonly losers: readonly Loser[];
  readonly verification: readonly Verification[];
  readonly notes: readonly string[];
}

export interface Cliff {
  readonly path: string;
  readonly side: 'below' | 'above';
  readonly at: number;
  /** Distance from the chosen value, in the unit of the parameter. */
  readonly margin: number;
  readonly breach: number | null;
  readonly goodput: number | null;
  readonly unserved: number | null;
}
