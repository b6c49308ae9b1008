/** Which settings of a sweep say something about the load that all of them claim. */
import { numberOf } from '../result/figure.ts';
import type { Health } from '../result/types.ts';
import type { SweepDocument, SweepSetting } from '../tune/types.ts';
import { list } from './format.ts';
import { settingText } from './setting-text.ts';

/** A setting that was played live has the health of its run. */
export interface PlayedSetting extends SweepSetting {
  readonly health?: Pick<Health, 'status' | 'notes'>;
}

/** What is left to compare, and what has to be said of the rest. */
export interface Compared {
  /** With the settings that can be compared alone, and of each axis the values that they have. */
  readonly document: SweepDocument;
  /** Why nothing may be concluded at all: instead of a headline. */
  readonly none: string | undefined;
  /** Whom the comparison leaves out; empty: nobody. */
  readonly leftOut: readonly string[];
}

/** Names that fit into a line. */
const MOST_NAMED = 8;

/**
 * A run that was cut short, or whose generator was limited, did not meet the load of the others; a
 * simulation that was cut off counts whom it never sent. A sweep that somebody ended gives no advice.
 */
export function comparedOf(document: SweepDocument): Compared {
  const { settings, axes } = document;
  const trusted = settings.filter((each) => distrustOf(each) === undefined);
  if (trusted.length === settings.length) return { document, none: undefined, leftOut: [] };
  const isCutShort = settings.some((each) => distrustOf(each) === 'interrupted');
  const none = isCutShort ? CUT_SHORT : trusted.length < 2 ? TOO_FEW : undefined;
  const left = none === undefined ? trusted : [];
  return {
    document: { ...document, settings: left, axes: axes.map((axis) => valuesIn(left, axis)) },
    none,
    leftOut: [leftOutText(settings)],
  };
}

const CUT_SHORT = 'Cut short: no comparison.';
const TOO_FEW = 'Too few runs can be trusted: no comparison.';

/** Why its figures are not of the load that it claims; undefined: they are. */
function distrustOf({ health, figures }: PlayedSetting): string | undefined {
  if (health !== undefined && health.status !== 'ok') return health.status;
  return (numberOf(figures.outcomes.unsent) ?? 0) > 0 ? 'requests never sent' : undefined;
}

function leftOutText(settings: readonly SweepSetting[]): string {
  const names = settings.flatMap((each) => {
    const why = distrustOf(each);
    return why === undefined ? [] : [`${settingText(each.setting)} (${why})`];
  });
  const more = names.length - MOST_NAMED;
  const shown = more > 0 ? [...names.slice(0, MOST_NAMED), `${more} more`] : names;
  return `Not compared: ${list(shown)}.`;
}

function valuesIn(settings: readonly SweepSetting[], { path, values }: Axis): Axis {
  const left = new Set(settings.map(({ setting }) => JSON.stringify(setting[path])));
  return { path, values: values.filter((value) => left.has(JSON.stringify(value))) };
}

type Axis = SweepDocument['axes'][number];
