import type { Axis } from '../scenario/axis.ts';
import type { Scenario } from '../scenario/types.ts';
import { type Choice, choose, type Judged, type Refuse } from './choose.ts';
import type { Evaluate } from './evaluate.ts';
import { type Setting, underSetting } from './setting.ts';
import { type Objective, type Trial, trialOf } from './weigh.ts';

export interface SearchRequest {
  readonly scenarios: readonly Scenario[];
  readonly axes: readonly Axis[];
  readonly objective: Objective;
  readonly refuse: Refuse;
  readonly replications: number;
  readonly evaluate: Evaluate;
  /** Points of the first grid on a lone axis. */
  readonly coarse: number;
  /** Whether only the best is wanted, not how far the flat region around it reaches. */
  readonly bestOnly?: boolean;
}

/** Points of the first grid on each of several axes: their product is what is paid. */
const COARSE_OF_SEVERAL = [0, 0, 8, 5, 4];
/** Settings around which one round looks closer. */
const LOOK_CLOSER = 8;

/**
 * From coarse to fine: a grid over all the axes, then rounds that halve the step around what is
 * good, around the ends of the flat region and around what is only just not allowed. The grid looks
 * everywhere first, so the curve need be neither monotone nor smooth beyond its step.
 * @throws UserError where a path or a value does not fit a scenario
 */
export async function search(request: SearchRequest): Promise<{ trials: Trial[]; choice: Choice }> {
  const lattice = new Lattice(request);
  await lattice.evaluate(lattice.grid());
  while (lattice.halve()) await lattice.evaluate(lattice.around(lattice.choice()));
  return { trials: lattice.trials(), choice: lattice.choice() };
}

type Point = readonly number[];

class Lattice {
  private readonly steps: number[];
  private readonly tried = new Map<string, { readonly point: Point; readonly trial: Trial }>();

  constructor(private readonly request: SearchRequest) {
    const { axes, coarse } = request;
    const points = axes.length === 1 ? coarse : (COARSE_OF_SEVERAL[axes.length] ?? 3);
    this.steps = axes.map(({ values }) => powerOfTwo((values.length - 1) / (points - 1)));
  }

  grid(): Point[] {
    return this.request.axes.reduce<Point[]>(
      (points, { values }, axis) => {
        const step = this.steps[axis] ?? 1;
        const places: number[] = [];
        for (let i = 0; i < values.length; i += step) places.push(i);
        if (places.at(-1) !== values.length - 1) places.push(values.length - 1);
        return points.flatMap((point) => places.map((place) => [...point, place]));
      },
      [[]],
    );
  }

  /** False where every step is 1 already. */
  halve(): boolean {
    if (this.steps.every((step) => step === 1)) return false;
    for (const [axis, step] of this.steps.entries()) this.steps[axis] = Math.max(1, step / 2);
    return true;
  }

  around(choice: Choice): Point[] {
    const near = [...choice.judged]
      .map((judged) => ({ judged, point: this.pointOf(judged.trial) }))
      .sort((a, b) => rank(a.judged) - rank(b.judged));
    const isEnd = ({ judged, point }: (typeof near)[number]) =>
      judged.flat &&
      this.neighbours(point, 2).some((other) => this.flatAt(choice, other) === false);
    const ends = this.request.bestOnly === true ? [] : near.filter(isEnd);
    const looked = [...near.slice(0, 3), ...ends].slice(0, LOOK_CLOSER);
    return looked.flatMap(({ point }) => this.neighbours(point, 1));
  }

  private flatAt(choice: Choice, point: Point): boolean | undefined {
    const trial = this.tried.get(point.join())?.trial;
    return choice.judged.find((judged) => judged.trial === trial)?.flat;
  }

  private pointOf(trial: Trial): Point {
    for (const one of this.tried.values()) if (one.trial === trial) return one.point;
    return [];
  }

  private neighbours(point: Point, times: number): Point[] {
    return point.flatMap((place, axis) => {
      const step = (this.steps[axis] ?? 1) * times;
      const last = (this.request.axes[axis]?.values.length ?? 1) - 1;
      return [place - step, place + step]
        .map((to) => Math.min(last, Math.max(0, to)))
        .filter((to) => to !== place)
        .map((to) => point.map((other, i) => (i === axis ? to : other)));
    });
  }

  async evaluate(points: readonly Point[]): Promise<void> {
    const fresh = [...new Map(points.map((point) => [point.join(), point])).values()].filter(
      (point) => !this.tried.has(point.join()),
    );
    if (fresh.length === 0) return;
    const settings = fresh.map((point) => this.settingAt(point));
    const trials = await evaluateSettings(this.request, settings);
    for (const [i, point] of fresh.entries()) {
      const trial = trials[i];
      if (trial !== undefined) this.tried.set(point.join(), { point, trial });
    }
  }

  private settingAt(point: Point): Setting {
    return Object.fromEntries(
      this.request.axes.map(({ path, values }, axis) => [path, values[point[axis] ?? 0]]),
    );
  }

  choice(): Choice {
    return choose(this.trials(), this.request.objective, this.request.refuse);
  }

  /** In the order of the axes, whatever the order in which they were tried. */
  trials(): Trial[] {
    const all = [...this.tried.values()];
    all.sort((a, b) => a.point.map((x, i) => x - (b.point[i] ?? 0)).find((x) => x !== 0) ?? 0);
    return all.map(({ trial }) => trial);
  }
}

/** What may be chosen by its loss; then what is beaten; then what is refused, by how far it misses. */
function rank({ regret, refused, breach, miss }: Judged): number {
  if (refused !== null) return 2 + miss;
  return regret === Infinity ? 1 + breach : regret;
}

function powerOfTwo(least: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(1, least))));
}

/** Plays settings in every scenario. */
export async function evaluateSettings(
  request: Pick<SearchRequest, 'scenarios' | 'objective' | 'replications' | 'evaluate'>,
  settings: readonly Setting[],
): Promise<Trial[]> {
  const { scenarios, objective, replications, evaluate } = request;
  const all = scenarios.flatMap((scenario) =>
    settings.map((setting) => underSetting(scenario, setting)),
  );
  const runs = await evaluate({ scenarios: all, replications, figures: 'requests' });
  return settings.map((setting, i) =>
    trialOf(
      setting,
      scenarios.map((_, s) => runs[s * settings.length + i] ?? []),
      objective,
    ),
  );
}
