/** What a sweep comes to in a sentence or three: the best setting, what it leaves, where it stands. */
import { numberOf } from '../result/figure.ts';
import { isOff, valueWithUnit } from '../result/setting-value.ts';
import type { SweepDocument, SweepSetting } from '../tune/types.ts';
import { list, percent, roughPercent } from './format.ts';
import { pathText, settingText } from './setting-text.ts';

/** A loss that a reader should hear of, and what `tune` calls the same, both of offered. */
const NOTABLE = 0.02;
const SAME = 0.01;
/** Below this share of compute slots are not known to lack. */
const BUSY_FROM = 0.7;

/** The first line of a page, and what stands behind it. */
export interface SweepSummary {
  readonly headline: string;
  readonly evidence: readonly string[];
}

/** A word and its reason. */
interface Said {
  readonly short: string;
  readonly why: string;
}

/** How a log is read is no setting to choose: the best of each reading is told. */
export function sweepSummary(document: SweepDocument): SweepSummary {
  const readings = readingsOf(document);
  if (readings.length === 0) return summaryOf(document);
  const [first, ...others] = readings.map(({ value, of }) => ({ value, ...summaryOf(of) }));
  return {
    headline: first?.headline ?? '',
    evidence: [
      ...(first?.evidence ?? []),
      ...others.map(({ value, headline }) => `${READING_TEXTS[`${value}`]}: ${headline}`),
    ],
  };
}

const READING = 'arrivals.retries';
const READING_TEXTS: Readonly<Record<string, string>> = {
  kept: 'With the retries of the log as demand',
  'left-out': 'With the retries of the log left out',
};

/** A document for each reading of a log, without the axis that tells them apart; none where there is one reading. */
function readingsOf(document: SweepDocument): { value: unknown; of: SweepDocument }[] {
  const reading = document.axes.find(({ path }) => path === READING);
  if (reading === undefined || document.axes.length < 2) return [];
  const axes = document.axes.filter((axis) => axis !== reading);
  return reading.values.map((value) => {
    const settings = document.settings.flatMap((each) => {
      const { [READING]: read, ...setting } = each.setting;
      return read === value ? [{ ...each, setting }] : [];
    });
    return { value, of: { ...document, axes, settings } };
  });
}

/** The best setting, then missing capacity and an edge of what was tried, where there is either. */
function summaryOf(document: SweepDocument): SweepSummary {
  const best = bestOf(document);
  if (best === undefined) return { headline: 'No request arrived.', evidence: [] };
  const { goodput, breach } = best.figures.rates;
  const order = `Most is served in time with ${settingText(best.setting)}: ${percent(numberOf(goodput))} of offered, ${percent(numberOf(breach))} of the served late.`;
  const lost = 1 - goodputOf(best);
  const asides = lost > NOTABLE ? [capacity(document, best, lost), ...edge(document, best)] : [];
  return {
    headline: [order, ...asides.map(({ short }) => short)].join(' '),
    evidence: asides.map(({ why }) => why),
  };
}

function bestOf({ settings }: SweepDocument): SweepSetting | undefined {
  return settings
    .filter(({ figures }) => figures.rates.goodput !== null)
    .reduce<SweepSetting | undefined>(
      (best, each) => (best === undefined || goodputOf(each) > goodputOf(best) ? each : best),
      undefined,
    );
}

function goodputOf({ figures }: SweepSetting): number {
  return numberOf(figures.rates.goodput) ?? 0;
}

/** What no setting that was tried serves: for want of capacity, or for another reason. */
function capacity({ axes }: SweepDocument, best: SweepSetting, lost: number): Said {
  const busy = numberOf(best.figures.utilization.busy);
  const slots = numberOf(best.figures.utilization.slots);
  const rest = `The other ${roughPercent(lost)}`;
  if (busy === null) {
    return {
      short: `Whether the other ${roughPercent(lost)} lack capacity is unknown.`,
      why: `${rest} no setting here serves, and the upstream says nothing of its compute.`,
    };
  }
  const used = `slots compute ${roughPercent(busy)} of the time`;
  if (busy >= BUSY_FROM) {
    const more = axes.some(({ path }) => path === 'gate.slots')
      ? 'it takes more slots than were tried'
      : 'it takes slots, not a threshold';
    return {
      short: `${rest} lack capacity.`,
      why: `${rest} no setting here serves while ${used}: ${more}.`,
    };
  }
  if (slots !== null && slots >= BUSY_FROM) {
    return {
      short: `${rest} wait for slots that are held, not worked on.`,
      why: `${rest} no setting here serves: slots are out ${roughPercent(slots)} of the time, but ${used}.`,
    };
  }
  return {
    short: `${rest} lack capacity in the rush alone, or not at all.`,
    why: `${rest} no setting here serves, yet over the whole run ${used}: look at the pool over time.`,
  };
}

/** A best value with nothing tried beyond it may not be the best there is. */
function edge({ axes, settings }: SweepDocument, best: SweepSetting): Said[] {
  const edges = axes.flatMap(({ path, values }) => edgeOf(path, values, best.setting[path]));
  if (edges.length === 0) return [];
  const alike = settings.filter((each) => goodputOf(best) - goodputOf(each) <= SAME).length;
  const flat =
    alike > 1 ? `; ${alike} of ${settings.length} settings are within 1 % of offered of it` : '';
  return [
    {
      short: 'The best is at the edge of what was tried.',
      why: `Nothing was tried beyond the best value: ${list(edges)}${flat}.`,
    },
  ];
}

/** Of what may be chosen: a load is not. Nothing lies below 0, nor beyond a rule that is off. */
function edgeOf(path: string, values: readonly unknown[], value: unknown): string[] {
  if (!path.startsWith('gate.') || isOff(path, value)) return [];
  const numbers = values
    .filter((each): each is number => typeof each === 'number' && !isOff(path, each))
    .sort((a, b) => a - b);
  if (values.length < 2) return [];
  const text = `${pathText(path)}\u00a0${valueWithUnit(path, value, '\u00a0')}`;
  if (value === numbers[0] && value !== 0) return [`${text} is the smallest, try smaller ones`];
  const isLast = value === numbers.at(-1) && !values.some((each) => isOff(path, each));
  return isLast ? [`${text} is the greatest, try greater ones`] : [];
}
