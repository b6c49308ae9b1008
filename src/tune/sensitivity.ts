import type { Figures } from '../result/figures.ts';
import type { Scenario } from '../scenario/types.ts';
import { type Change, changesFor } from './changed-worlds.ts';
import { type Affordable, cureOf, MOST_CURES } from './cure.ts';
import type { Evaluate } from './evaluate.ts';
import { pairedDifference } from './paired.ts';
import { type Setting, settingText, underSetting } from './setting.ts';
import type { Sensitivity } from './types.ts';
import { goodputOf, LATE_LIMIT, meanAt, meanOf, weighed } from './weigh.ts';

const MOST_OTHERS = 6;
/** A setting holds where it serves no more than this less in time, of offered, than the best of the others. */
export const HOLDS = 0.05;

/** What is tried in the changed worlds. */
export interface Asked {
  readonly present: Scenario;
  /** With the rules off that are not tuned. */
  readonly base: Scenario;
  /** What is advised; null: the present gate as it is, whatever its rules. */
  readonly advised: Setting | null;
  /** Settings among which the best of a changed world is looked for. */
  readonly others: readonly Setting[];
  /** Settings that may be chosen in the world as described and cost little there. */
  readonly affordable: readonly Affordable[];
}

interface How {
  /** Of the served, at most this share may be late; null: nothing was asked for. */
  readonly maxBreach: number | null;
  readonly replications: number;
  readonly evaluate: Evaluate;
}

/** One setting in a changed world; null: the present gate. */
interface Played {
  readonly setting: Setting | null;
  readonly runs: readonly Figures[];
}

interface World {
  readonly change: Change;
  /** The advised setting first. */
  readonly played: readonly [Played, ...Played[]];
  readonly now: readonly Figures[];
}

/**
 * What becomes of what is advised where the world is not as described. It FAILS where more than the
 * limit are late, under either objective, or where it serves much less in time than the best allowed of
 * the others; then settings are tried there that cost little in the world as described.
 */
export async function sensitivityOf(asked: Asked, how: How): Promise<Sensitivity[]> {
  const worlds = await Promise.all(
    changesFor(asked.present).map((change) => worldOf(change, asked, how)),
  );
  const limit = how.maxBreach ?? LATE_LIMIT;
  const failing = worlds.filter(
    (world) => isMade(world) && !holdsIn(world, world.played[0], limit),
  );
  const more = spreadOver(asked.affordable, MOST_CURES).map(({ setting }) => setting);
  const searched = new Map<World, World>();
  await Promise.all(
    failing.map(async (world) => searched.set(world, await withMore(world, more, asked, how))),
  );
  const tried = [...searched.values()].map((world) => ({
    world,
    holds: world.played.filter((one) => holdsIn(world, one, limit)),
  }));
  const cure = cureOf(
    asked.affordable,
    tried.map(({ holds }) => holds),
  );
  return worlds.map((first) => {
    const world = searched.get(first) ?? first;
    const [advised] = world.played;
    const curing = searched.has(first) ? playedAs(world, cure?.setting, limit) : undefined;
    return {
      change: world.change.name,
      advised: weighed(advised.runs),
      present: weighed(world.now),
      presentMore: pairedDifference(goodputs(world.now), goodputs(advised.runs)),
      regret: regretOf(world, advised, limit),
      holds: isMade(world) && holdsIn(world, advised, limit),
      ...(isMade(world) ? {} : { notMade: world.change.notMade }),
      cure:
        cure === undefined || curing === undefined
          ? null
          : { setting: cure.setting, figures: weighed(curing.runs), cost: cure.cost },
    };
  });
}

async function worldOf(change: Change, asked: Asked, how: How): Promise<World> {
  const { advised, others } = asked;
  const settings = [advised, ...spreadOver(others, MOST_OTHERS)];
  const [now, first, ...more] = await play(change, [null, ...settings], asked, how);
  if (now === undefined || first === undefined) throw new Error('a changed world was not played');
  return { change, now: now.runs, played: [first, ...more] };
}

async function withMore(
  world: World,
  settings: readonly Setting[],
  asked: Asked,
  how: How,
): Promise<World> {
  const [first, ...others] = world.played;
  const known = world.played.map(({ setting }) => nameOf(setting));
  const fresh = settings.filter((setting) => !known.includes(nameOf(setting)));
  const played = fresh.length === 0 ? [] : await play(world.change, fresh, asked, how);
  return { ...world, played: [first, ...others, ...played] };
}

async function play(
  { of, slowPhases = 1 }: Change,
  settings: readonly (Setting | null)[],
  { present, base }: Asked,
  { replications, evaluate }: How,
): Promise<Played[]> {
  const changed = of(present);
  // The base differs by its gate alone; what is the same object is drawn once for all of them.
  const changedBase = { ...changed, gate: of(base).gate };
  const scenarios = settings.map((setting) =>
    setting === null ? changed : underSetting(changedBase, setting),
  );
  const runs = await evaluate({ scenarios, replications, figures: 'requests', slowPhases });
  return settings.map((setting, i) => ({ setting, runs: runs[i] ?? [] }));
}

/** What would change nothing shows nothing. */
function isMade({ change }: World): boolean {
  return change.notMade === undefined;
}

function holdsIn(world: World, one: Played, limit: number): boolean {
  return lateOf(one) <= limit && (regretOf(world, one, limit) ?? 0) <= HOLDS;
}

/** What the best that keeps the limit serves more in time, of offered; null where none keeps it. */
function regretOf({ played }: World, one: Played, limit: number): number | null {
  const allowed = played.filter((other) => lateOf(other) <= limit);
  return allowed.length === 0 ? null : Math.max(...allowed.map(servedOf)) - servedOf(one);
}

function playedAs(world: World, setting: Setting | undefined, limit: number): Played | undefined {
  if (setting === undefined) return undefined;
  const name = nameOf(setting);
  return world.played.find((one) => nameOf(one.setting) === name && holdsIn(world, one, limit));
}

function lateOf({ runs }: Played): number {
  return meanAt(runs, 'rates.breach') ?? 0;
}

function servedOf({ runs }: Played): number {
  return meanOf(runs.flatMap((run) => goodputOf(run) ?? []));
}

function nameOf(setting: Setting | null): string {
  return setting === null ? '' : settingText(setting);
}

function goodputs(runs: readonly Figures[]): (number | null)[] {
  return runs.map((run) => run['rates.goodput'] ?? null);
}

function spreadOver<T>(all: readonly T[], most: number): T[] {
  if (all.length <= most) return [...all];
  const step = (all.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, i) => all[Math.round(i * step)]).filter(
    (one) => one !== undefined,
  );
}
