/**
 * What the pages of a sweep and of a tuning read of their documents. The documents themselves are
 * `tune`'s, which a report does not import; whatever has this shape can be shown.
 */
import type { FigureParts } from '../result/figures.ts';
import type { Figure, LossSplit } from '../result/types.ts';

export type SettingValues = Readonly<Record<string, unknown>>;

export interface Interval {
  readonly mean: number;
  readonly lo: number;
  readonly hi: number;
}

export interface Source {
  readonly engine: string;
  readonly target: 'none' | 'stub' | 'endpoint';
  readonly simulated: boolean;
}

export interface SubjectOfPage {
  readonly name: string;
  readonly digest: string;
  readonly description: string;
  readonly sloS: number;
  readonly durationS: number;
  readonly slots: number;
}

export interface AxisOfPage {
  readonly path: string;
  readonly values: readonly unknown[];
}

export interface SweepPageDocument {
  readonly origin: Source;
  readonly scenario: SubjectOfPage;
  readonly seed: number;
  readonly replications: number;
  readonly axes: readonly AxisOfPage[];
  readonly settings: readonly {
    readonly setting: SettingValues;
    readonly figures: FigureParts;
    readonly difference: { readonly goodput: Interval | null };
  }[];
  readonly notes: readonly string[];
}

interface WeighedFigures {
  readonly rejection: Figure;
  readonly unserved: Figure;
  readonly breach: Figure;
  readonly goodput: Figure;
  readonly waitP99S: Figure;
  readonly responseP95S: Figure;
  readonly refusalP95S: Figure;
}

export interface ByScenario {
  readonly scenario: string;
  readonly figures: WeighedFigures;
}

export interface TunePageDocument {
  readonly origin: Source;
  readonly scenarios: readonly SubjectOfPage[];
  readonly seed: number;
  readonly replications: number;
  readonly objective: string;
  readonly maxBreach: number;
  readonly params: readonly AxisOfPage[];
  readonly lossSplit: (LossSplit & { readonly scenario: string; readonly goodput: number }) | null;
  readonly recommendation: {
    readonly headline: string;
    readonly label: string;
    readonly lines: readonly { readonly name: string; readonly text: string }[];
  };
  readonly chosen: {
    readonly setting: SettingValues;
    readonly flatRegion: Readonly<Record<string, readonly [number, number]>>;
    readonly cliff: readonly { readonly path: string; readonly at: number }[];
    readonly binding: string;
  } | null;
  readonly evidence: { readonly text: string };
  readonly tried: readonly {
    readonly setting: SettingValues;
    readonly byScenario: readonly ByScenario[];
  }[];
  readonly baselines: readonly {
    readonly name: string;
    readonly setting: SettingValues;
    readonly byScenario: readonly ByScenario[];
    readonly allowed: boolean;
    readonly gain: Interval | null;
  }[];
  readonly slotsNeeded: {
    readonly target: number;
    readonly present: number;
    readonly needed: number | null;
    readonly curve: readonly { readonly slots: number; readonly goodput: Figure }[];
  } | null;
  readonly sensitivity: readonly {
    readonly change: string;
    readonly chosen: WeighedFigures;
    readonly present: WeighedFigures;
    readonly holds: boolean;
  }[];
  readonly losers: readonly {
    readonly group: string;
    readonly chosen: number | null;
    readonly present: number | null;
    readonly noGate: number | null;
    readonly lost: boolean;
  }[];
  readonly verification: readonly {
    readonly role: string;
    readonly status: string;
    readonly target: string;
    readonly figures: readonly {
      readonly path: string;
      readonly predicted: readonly [number, number] | null;
      readonly measured: number | null;
      readonly inside: boolean | null;
    }[];
  }[];
  readonly notes: readonly string[];
}
