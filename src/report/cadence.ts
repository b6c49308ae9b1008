/** What a sweep over the checkpoint gap shows: which gap serves most, and how far it may be missed. */
import { numberOf } from '../result/figure.ts';
import { bareValue } from '../result/setting-value.ts';
import type { SweepDocument, SweepSetting } from '../tune/types.ts';
import type { Chart } from './chart.ts';
import { curveChart } from './curve.ts';
import { percent, plural } from './format.ts';
import { pointsOf } from './points.ts';
import { settingText } from './setting-text.ts';

const CADENCE = 'model.checkpointTokens';
/** Gaps within this of the best goodput are as good: what `tune` calls flat. */
const SAME = 0.01;
/** Charts that a page can bear. */
const MOST_LINES = 6;

/** One line of a sweep: every gap, with all else the same. */
export interface Cadence {
  /** What else was set; '' where nothing else was swept. */
  readonly label: string;
  /** Gaps as written, from the shortest; the last may be `none`. */
  readonly ticks: readonly string[];
  readonly settings: readonly SweepSetting[];
  /** Index of the gap with the highest goodput. */
  readonly best: number;
  /** First and last index around the best within .01 of its goodput. */
  readonly flat: readonly [number, number];
}

/** Empty where the gap was not swept, or nothing was preempted. */
export function cadencesOf({ axes, settings }: SweepDocument): Cadence[] {
  const isSwept = axes.some(({ path }) => path === CADENCE);
  if (!isSwept || !settings.some(({ figures }) => (numberOf(figures.preempts) ?? 0) > 0)) return [];
  const lines = new Map<string, SweepSetting[]>();
  for (const each of settings) {
    const { [CADENCE]: _gap, ...others } = each.setting;
    const label = settingText(others);
    lines.set(label, [...(lines.get(label) ?? []), each]);
  }
  return [...lines].flatMap(([label, line]) => cadenceOf(label, line) ?? []);
}

function cadenceOf(label: string, line: readonly SweepSetting[]): Cadence | undefined {
  const settings = line
    .filter(({ figures }) => figures.rates.goodput !== null)
    .sort((a, b) => gapOf(a) - gapOf(b));
  if (settings.length === 0) return undefined;
  const goodput = settings.map(({ figures }) => numberOf(figures.rates.goodput) ?? 0);
  const top = Math.max(...goodput);
  const best = goodput.indexOf(top);
  const isFlat = (at: number) => top - (goodput[at] ?? Number.NEGATIVE_INFINITY) <= SAME;
  let [from, to] = [best, best];
  while (isFlat(from - 1)) from--;
  while (isFlat(to + 1)) to++;
  return { label, ticks: settings.map(tickOf), settings, best, flat: [from, to] };
}

/** 0 writes none: the longest gap there is. */
function gapOf({ setting }: SweepSetting): number {
  const gap = Number(setting[CADENCE]);
  return gap === 0 ? Number.POSITIVE_INFINITY : gap;
}

function tickOf(each: SweepSetting): string {
  return Number.isFinite(gapOf(each)) ? bareValue(CADENCE, each.setting[CADENCE]) : 'none';
}

/** `best checkpoint gap 100 tokens, goodput 96.0 %; 100 to 150 are within 1 % of offered`. */
export function cadenceText({ ticks, settings, best, flat, label }: Cadence): string {
  const at = (i: number) => ticks[i] ?? '';
  const goodput = percent(numberOf(settings[best]?.figures.rates.goodput ?? null));
  const [from, to] = flat;
  const whole = from === 0 && to === ticks.length - 1;
  const room = from === to ? 'no other that was tried is' : `${at(from)} to ${at(to)} are`;
  const flatText = whole && from !== to ? 'all that were tried are' : room;
  const edge = best === 0 || best === ticks.length - 1 ? ', the best at the end of them' : '';
  const of = label === '' ? '' : `${label}: `;
  return `${of}best checkpoint gap ${at(best)} tokens, goodput ${goodput}; ${flatText} within 1 % of offered${edge}`;
}

/** Goodput and redone work against the gap, one chart for each of what else was set. */
export function cadenceCharts(document: SweepDocument): Chart[] {
  const cadences = cadencesOf(document);
  const left = cadences.length - MOST_LINES;
  return cadences.slice(0, MOST_LINES).map((cadence, i) => {
    const { label, ticks, settings, best, flat } = cadence;
    return curveChart({
      id: `cadence${i}`,
      title: label === '' ? 'Waste against the checkpoint gap' : label,
      notes: [
        `${cadenceText({ ...cadence, label: '' })}.`,
        ...(i === 0 && left > 0 ? [`The table has ${plural(left, 'more line')}.`] : []),
      ],
      xTitle: 'checkpoint gap (tokens)',
      ticks,
      yTitle: 'share',
      kind: 'share',
      series: [
        {
          label: 'served within the SLO, of offered',
          ink: 'admitted',
          points: pointsOf(settings, ({ figures }) => figures.rates.goodput),
        },
        {
          label: 'made for nothing, of all tokens worked',
          ink: 'late',
          points: pointsOf(settings, ({ figures }) => figures.tokens.wastedShare),
        },
        {
          label: 'redone by restarts, of all tokens worked',
          ink: 'expired',
          points: pointsOf(settings, ({ figures }) => figures.tokens.redoneShare),
        },
      ],
      flat,
      marks: [{ at: best, label: `best ${ticks[best] ?? ''}` }],
    });
  });
}
