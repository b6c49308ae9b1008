/** Settings of one scenario played for real, one after the other. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSchedule } from '../arrivals/build.ts';
import type { Schedule } from '../arrivals/schedule.ts';
import { scheduleDigest } from '../ledger/digest.ts';
import type { Asked, Result } from '../result/types.ts';
import type { Scenario } from '../scenario/types.ts';
import { withAsked } from './asked.ts';
import { canShareGate, changeParts, cutGateLedger } from './live-gate-change.ts';
import { type LiveFlags, liveOptions } from './live-options.ts';
import { play } from './live-play.ts';
import { type LiveRunOptions, partsOf, resultOf, runLive, targetOf } from './live-run.ts';
import { openRunFolder, type RunFolder } from './run-folder.ts';
import { beginUnfinished, endUnfinished } from './unfinished.ts';

export interface PlaySettings {
  readonly scenarios: readonly Scenario[];
  readonly flags: LiveFlags;
  readonly signal: AbortSignal;
  /** Where the folder of each run is kept, as `setting-1` and so on; undefined: only results are. */
  readonly keepIn?: string | undefined;
  /** How each is asked for alone, for its folder. */
  readonly asked?: readonly Asked[];
  /** Told before each. */
  readonly say: (text: string) => void;
}

/**
 * Plays each scenario; those with the same arrivals meet the very same ones. Where only the policy
 * of the gate differs, one stub and one gate play them all, and the running gate is changed between
 * two; else each has its own.
 * @throws UserError where it cannot begin
 */
export async function playSettings(request: PlaySettings): Promise<Result[]> {
  const { scenarios, flags, keepIn } = request;
  const place = mkdtempSync(join(tmpdir(), 'loadline-'));
  beginUnfinished(place);
  const folders = scenarios.map((_, i) =>
    openRunFolder(join(keepIn ?? place, `setting-${i + 1}`), false),
  );
  try {
    const isShared = scenarios.length > 1 && flags.direct !== true && canShareGate(scenarios);
    const results = isShared
      ? await onOneGate(request, folders, place)
      : await eachOnItsOwn(request, folders);
    if (keepIn !== undefined) await keepAll(request, folders, results);
    return results;
  } finally {
    for (const folder of folders) folder.abandon();
    rmSync(place, { recursive: true, force: true });
    endUnfinished(place);
  }
}

async function onOneGate(
  { scenarios, flags, signal, say }: PlaySettings,
  folders: readonly RunFolder[],
  place: string,
): Promise<Result[]> {
  const [first] = scenarios;
  if (first === undefined) return [];
  const schedule = buildSchedule(first);
  const whole = openRunFolder(join(place, 'gate'), false);
  const options: LiveRunOptions = { ...liveOptions(flags), folder: whole, schedule, signal };
  const target = await targetOf(first, schedule, { ...options, plays: scenarios.length, say });
  const parts = await partsOf(widest(scenarios, first), schedule, target, options);
  const plays = pairs(scenarios, folders);
  const startedAt: string[] = [];
  try {
    for (const [i, [scenario, folder]] of plays.entries()) {
      say(`setting ${i + 1}`);
      startedAt.push(new Date().toISOString());
      await changeParts(parts, scenario.gate);
      await play(scenario, schedule, target, parts, { ...options, folder });
    }
  } finally {
    await parts.stop();
  }
  const ledgers = await cutGateLedger(whole.file('gate.jsonl'), scenarios);
  const results: Result[] = [];
  for (const [i, [scenario, folder]] of plays.entries()) {
    folder.put('gate.jsonl', ledgers[i] ?? '');
    const own = { ...options, folder };
    results.push(await resultOf(scenario, schedule, target, startedAt[i] ?? '', own));
  }
  return results;
}

/** By whose slots the gate's patience with its upstream is measured; its policy is changed before each play. */
function widest(scenarios: readonly Scenario[], first: Scenario): Scenario {
  return scenarios.reduce((a, b) => (b.gate.slots > a.gate.slots ? b : a), first);
}

async function eachOnItsOwn(
  { scenarios, flags, signal, say }: PlaySettings,
  folders: readonly RunFolder[],
): Promise<Result[]> {
  const schedules = createScheduleCache();
  const results: Result[] = [];
  for (const [i, [scenario, folder]] of pairs(scenarios, folders).entries()) {
    say(`setting ${i + 1}, with a gate of its own`);
    const schedule = schedules(scenario);
    // What all of them will send is said once, before the first.
    const bill = i === 0 ? { plays: scenarios.length, say } : {};
    const run = await runLive(scenario, {
      ...{ ...liveOptions(flags), folder, schedule, signal },
      ...bill,
    });
    results.push(run.result);
  }
  return results;
}

async function keepAll(
  { scenarios, asked = [] }: PlaySettings,
  folders: readonly RunFolder[],
  results: readonly Result[],
): Promise<void> {
  const schedules = createScheduleCache();
  for (const [i, [scenario, folder]] of pairs(scenarios, folders).entries()) {
    const [result, how] = [results[i], asked[i]];
    if (result === undefined) continue;
    const told = how === undefined ? result : withAsked(result, how);
    await folder.finish(told, schedules(scenario));
  }
}

function pairs(
  scenarios: readonly Scenario[],
  folders: readonly RunFolder[],
): (readonly [Scenario, RunFolder])[] {
  return scenarios.flatMap((scenario, i) => {
    const folder = folders[i];
    return folder === undefined ? [] : [[scenario, folder] as const];
  });
}

/** Settings that change nothing about the arrivals meet the very same ones. */
function createScheduleCache(): (scenario: Scenario) => Schedule {
  let kept: { readonly digest: string; readonly schedule: Schedule } | undefined;
  return (scenario) => {
    const built = buildSchedule(scenario);
    const digest = scheduleDigest(built);
    if (kept?.digest !== digest) kept = { digest, schedule: built };
    return kept.schedule;
  };
}
