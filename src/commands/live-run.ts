/** One live run from its parts to its result: what `bench`, live sweeps, verification and drills share. */
import { cpus } from 'node:os';
import { buildSchedule } from '../arrivals/build.ts';
import type { Schedule } from '../arrivals/schedule.ts';
import type { Limits } from '../engine/live/breaker.ts';
import { fineGapNotes } from '../engine/live/fine-gaps.ts';
import { STUB_MODEL } from '../engine/live/preflight.ts';
import type { LiveProgress } from '../engine/live.ts';
import { openLedger } from '../ledger/codec.ts';
import { type Joined, joinLedgers } from '../ledger/join.ts';
import { createFold } from '../result/fold.ts';
import { stableJson } from '../result/json.ts';
import type { Environment, Result } from '../result/types.ts';
import type { Scenario } from '../scenario/types.ts';
import { type LiveParts, startParts } from './live-parts.ts';
import { play } from './live-play.ts';
import { findTarget, reachableOrigin, type Target } from './live-target.ts';
import type { RunFolder } from './run-folder.ts';
import { sealsOf } from './seals.ts';
import { silenceLimits } from './silence.ts';
import { identity } from './simulate.ts';
import { version } from './version.ts';

export interface LiveRunOptions {
  /** Where ledgers, result and page go. */
  readonly folder: RunFolder;
  /** Wall seconds per scenario second. */
  readonly timeScale: number;
  /** Base URL; undefined: against a stub of our own. */
  readonly endpoint?: string | undefined;
  readonly model?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Without the gate. */
  readonly direct?: boolean;
  /** Of the gate; 0: any free one. */
  readonly port?: number;
  readonly yes?: boolean;
  readonly ca?: string | undefined;
  readonly insecure?: boolean;
  readonly metricsUrl?: string | undefined;
  readonly gateLog?: string | undefined;
  readonly limits: Limits;
  /** How often the like of it is played, for the word on what will be sent; 1 unless given. */
  readonly plays?: number;
  /** Instead of the one that the scenario and its seed give. */
  readonly schedule?: Schedule;
  /** Aborted: the run ends, and what was measured is kept. */
  readonly signal?: AbortSignal;
  /** Told before the first request goes out; its end is awaited after the last. A drill's steps live here. */
  readonly meanwhile?: (run: RunningRun) => Promise<void>;
  /** Notes for the user. */
  readonly say?: (text: string) => void;
}

/** A run that is going on. */
export interface RunningRun {
  readonly parts: LiveParts;
  /** Scheme, host and port of the gate; undefined in a direct run. */
  readonly gatewayUrl: string | undefined;
  /** Base of the endpoint behind it. */
  readonly upstreamUrl: string;
  /** Scenario time. */
  nowUs(): number;
  progress(): LiveProgress;
  /** Resolves when no request is left. */
  readonly ended: Promise<unknown>;
}

export interface LiveRunEnd {
  readonly result: Result;
  readonly schedule: Schedule;
  /** Why it was cut short; null where it came to its end. */
  readonly why: string | null;
}

/**
 * Plays a scenario over HTTP and folds what happened into a result. The caller writes the folder.
 * @throws UserError where it cannot begin
 */
export async function runLive(scenario: Scenario, options: LiveRunOptions): Promise<LiveRunEnd> {
  const schedule = options.schedule ?? buildSchedule(scenario);
  const startedAt = new Date().toISOString();
  const target = await targetOf(scenario, schedule, options);
  const parts = await partsOf(scenario, schedule, target, options);
  try {
    const why = await play(scenario, schedule, target, parts, options);
    await parts.stop();
    const result = await resultOf(scenario, schedule, target, startedAt, options);
    return { result, schedule, why };
  } finally {
    await parts.stop();
  }
}

/** The endpoint of a run, looked at once; undefined: a stub of our own. @throws UserError where it cannot be used */
export async function targetOf(
  scenario: Scenario,
  schedule: Schedule,
  options: LiveRunOptions,
): Promise<Target | undefined> {
  const { endpoint, model, apiKey, timeScale, ca, limits } = options;
  if (endpoint === undefined) return undefined;
  const { maxRequests, maxTokens } = limits;
  const consent = { yes: options.yes ?? false, insecure: options.insecure ?? false };
  return findTarget(
    {
      ...{ endpoint, model, apiKey, timeScale, ca, maxRequests, maxTokens, ...consent },
      plays: options.plays ?? 1,
      signal: options.signal,
    },
    scenario,
    schedule,
    options.say ?? (() => {}),
  );
}

/** Starts the parts of a run, the gate with this scenario's policy. @throws UserError where one does not start */
export async function partsOf(
  scenario: Scenario,
  schedule: Schedule,
  target: Target | undefined,
  options: LiveRunOptions,
): Promise<LiveParts> {
  const { folder } = options;
  folder.put('scenario.json', stableJson(scenario));
  return startParts({
    scenarioFile: folder.file('scenario.json'),
    timeScale: options.timeScale,
    endpoint: target === undefined ? undefined : reachableOrigin(target),
    endpointIsStub: target?.isStub ?? false,
    direct: options.direct ?? false,
    port: options.port ?? 0,
    gateLedger: folder.file('gate.jsonl'),
    silence: silenceLimits(scenario, schedule, {
      timeScale: options.timeScale,
      isStub: target?.isStub ?? true,
    }),
    gateLog: options.gateLog,
    metricsUrl: options.metricsUrl,
    ca: options.ca,
    insecure: options.insecure ?? false,
  });
}

/** Folds the ledgers of a folder into the result of its run. */
export async function resultOf(
  scenario: Scenario,
  schedule: Schedule,
  target: Target | undefined,
  startedAt: string,
  options: LiveRunOptions,
): Promise<Result> {
  const fold = createFold(scenario, { detail: 'full' });
  const { folder, direct = false } = options;
  const joined: Joined = await joinLedgers(
    {
      client: await openLedger('client', folder.file('client.jsonl')),
      gate: direct ? null : await openLedger('gate', folder.file('gate.jsonl')),
      arrivals: schedule.arrivals,
    },
    fold,
  );
  return fold.finish({
    engine: 'live',
    ...identity(scenario, schedule),
    timeScale: options.timeScale,
    pace: joined.pace,
    interrupted: joined.interrupted,
    environment: {
      ...environmentOf(target, startedAt, options),
      ledgers: await sealsOf(folder, ['client.jsonl', ...(direct ? [] : ['gate.jsonl'])], schedule),
    },
    notes: fineGapNotes(schedule, options.timeScale),
  });
}

function environmentOf(
  target: Target | undefined,
  startedAt: string,
  { direct = false }: LiveRunOptions,
): Environment {
  return {
    target: target === undefined || target.isStub ? 'stub' : 'endpoint',
    endpoint: target?.urls.origin ?? null,
    model: target?.model ?? STUB_MODEL,
    direct,
    loadline: version,
    node: process.version,
    cpus: cpus().length,
    startedAt,
    notes: target?.notes ?? [],
  };
}
