/** Where the values of a setting stand on the level axis of a curve. */

/** Half a step: what a point stands for, and room for marks at both ends. */
const HALF_STEP = 0.5;
/** Of the whole, at both ends of a measured axis: room for a point. */
const ROOM = 0.03;
/** Two decades: below, a ratio says no more than a distance. */
const LOG_FROM = 100;
/** Half of the values in so small a part of the whole would stand on each other. */
const CROWDED = 0.1;
const MOST_TICKS = 8;

export interface CurveAxis {
  /** The place of an index into the values; between two of them where it is broken. */
  place(at: number): number;
  /** Whether a place is in the second half of the axis. */
  isLate(place: number): boolean;
  readonly scale: object;
  /** Of Vega-Lite, without a title. */
  readonly ticks: { readonly values: number[]; readonly labelExpr: string };
}

/** Values as they are written, evenly spaced: 1e9 and off stand beside 5. */
export function evenAxis(ticks: readonly string[]): CurveAxis {
  const end = ticks.length - 1;
  const step = Math.ceil(ticks.length / 10);
  return {
    place: (at) => at,
    isLate: (place) => place > end / 2,
    scale: { domain: [-HALF_STEP, end + HALF_STEP], nice: false, zero: false },
    ticks: {
      // At most ten of them carry their value.
      values: ticks.map((_, i) => i).filter((i) => i % step === 0 || i === end),
      labelExpr: `${JSON.stringify(ticks)}[datum.value]`,
    },
  };
}

/**
 * Numbers at their distance from each other; by their ratio where they span more than two decades
 * and half of them would stand on each other else.
 * @param xs ascending
 * @returns undefined where they are no range
 */
export function measuredAxis(xs: readonly number[]): CurveAxis | undefined {
  const [first = 0, last = 0] = [xs[0], xs.at(-1)];
  const isRange = xs.every((x, i) => Number.isFinite(x) && (i === 0 || x > (xs[i - 1] ?? x)));
  if (!isRange || xs.length < 2) return undefined;
  const middleValue = xs[Math.floor((xs.length - 1) / 2)] ?? last;
  const isLog = first > 0 && last / first > LOG_FROM && middleValue < CROWDED * last;
  const [to, back] = isLog ? [Math.log, Math.exp] : [same, same];
  const room = ROOM * (to(last) - to(first));
  const [low, high] = [to(first) - room, to(last) + room];
  const middle = (low + high) / 2;
  const place = (at: number) => {
    const [below, above] = [xs[Math.floor(at)], xs[Math.ceil(at)]];
    if (below === undefined) return back(low);
    if (above === undefined) return back(high);
    return back(to(below) + (at - Math.floor(at)) * (to(above) - to(below)));
  };
  const domain = [back(low), back(high)];
  return {
    place,
    isLate: (x) => to(x) > middle,
    scale: isLog ? { type: 'log', domain, nice: false } : { domain, nice: false, zero: false },
    ticks: {
      values: isLog ? logTicks(first, last) : roundTicksIn(first, last, xs.every(Number.isInteger)),
      labelExpr: "format(datum.value, '~r')",
    },
  };
}

function same(x: number): number {
  return x;
}

/** At most eight round numbers within a range; whole ones of whole values. */
export function roundTicksIn(from: number, to: number, isWhole: boolean): number[] {
  const rough = (to - from) / (MOST_TICKS - 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
  const step = isWhole ? Math.max(1, round) : round;
  const ticks: number[] = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + 1e-9 * step; i++) {
    ticks.push(Number((i * step).toPrecision(6)));
  }
  return ticks;
}

/** 1, 2 and 5 of every decade, or its 1 alone where these are too many. */
function logTicks(from: number, to: number): number[] {
  const decades: number[] = [];
  for (let k = Math.floor(Math.log10(from)); 10 ** k <= to; k++) decades.push(k);
  const ticks = (of: readonly number[]) =>
    decades
      .flatMap((k) => of.map((each) => Number((each * 10 ** k).toPrecision(6))))
      .filter((x) => x >= from && x <= to);
  const all = ticks([1, 2, 5]);
  return all.length <= 2 * MOST_TICKS ? all : ticks([1]);
}
