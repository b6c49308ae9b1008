/** One live run from its parts to its result: what `bench`, live sweeps, verification and drills share. */
import { cpus } from 'node:os';
import { buildSchedule } from '../arrivals/build.ts';
import type { Schedule } from '../arrivals/schedule.ts';
import { askPath } from '../engine/live/ask.ts';
import type { Limits } from '../engine/live/breaker.ts';
import { type RunClock, startRunClock } from '../engine/live/clock.ts';
import { fineGapNotes } from '../engine/live/fine-gaps.ts';
import { STUB_MODEL } from '../engine/live/preflight.ts';
import type { RequestOptions } from '../engine/live/request.ts';
import { clockOffsetUs, warmUp } from '../engine/live/warm-up.ts';
import { createWire, type Wire } from '../engine/live/wire.ts';
import { type LiveProgress, type LiveRun, startLive } from '../engine/live.ts';
import { UserError } from '../errors.ts';
import { openLedger } from '../ledger/codec.ts';
import { scheduleDigest } from '../ledger/digest.ts';
import { type Joined, joinLedgers } from '../ledger/join.ts';
import { LEDGER_VERSION } from '../ledger/lines.ts';
import { createLedgerWriter } from '../ledger/writer.ts';
import { createFold } from '../result/fold.ts';
import { stableJson } from '../result/json.ts';
import type { Environment, Result } from '../result/types.ts';
import type { Scenario } from '../scenario/types.ts';
import { type LiveParts, startParts } from './live-parts.ts';
import { findTarget, reachableOrigin, type Target } from './live-target.ts';
import type { RunFolder } from './run-folder.ts';
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

/** At an endpoint that is not ours nobody can know that what is in flight will ever end. */
const DRAIN_AT_ENDPOINT_S = 120;
/** From the end of the preparations to the first instant of the run, wall time. */
const LEAD_MS = 50;

/**
 * Plays a scenario over HTTP and folds what happened into a result. The caller writes the folder.
 * @throws UserError where it cannot begin
 */
export async function runLive(scenario: Scenario, options: LiveRunOptions): Promise<LiveRunEnd> {
  const schedule = options.schedule ?? buildSchedule(scenario);
  const startedAt = new Date().toISOString();
  const target = await targetOf(scenario, schedule, options);
  const parts = await partsOf(scenario, target, options);
  try {
    const why = await play(scenario, schedule, target, parts, options);
    await parts.stop();
    const result = await resultOf(scenario, schedule, target, startedAt, options);
    return { result, schedule, why };
  } finally {
    await parts.stop();
  }
}

async function targetOf(
  scenario: Scenario,
  schedule: Schedule,
  options: LiveRunOptions,
): Promise<Target | undefined> {
  const { endpoint, model, apiKey, timeScale, ca, limits } = options;
  if (endpoint === undefined) return undefined;
  const { maxRequests, maxTokens } = limits;
  const consent = { yes: options.yes ?? false, insecure: options.insecure ?? false };
  return findTarget(
    { endpoint, model, apiKey, timeScale, ca, maxRequests, maxTokens, ...consent },
    scenario,
    schedule,
    options.say ?? (() => {}),
  );
}

async function partsOf(
  scenario: Scenario,
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
    gateLog: options.gateLog,
    metricsUrl: options.metricsUrl,
    ca: options.ca,
    insecure: options.insecure ?? false,
  });
}

/** Returns why it was cut short, or null. */
async function play(
  scenario: Scenario,
  schedule: Schedule,
  target: Target | undefined,
  parts: LiveParts,
  options: LiveRunOptions,
): Promise<string | null> {
  const wire = wireTo(target, parts, options);
  try {
    const gated = parts.gateway !== undefined;
    await warm(wire, scenario, target, gated);
    const clock = startRunClock(options.timeScale, performance.now() + LEAD_MS);
    const offsetUs = gated ? await clockOffsetUs(wire, () => clock.nowUs()) : 0;
    const writer = openClientLedger(options.folder.file('client.jsonl'), schedule, offsetUs);
    const run = startLive({
      ...{ scenario, schedule, wire, gated, clock },
      request: requestOptions(target, gated, options),
      record: (line) => writer.append(line),
      drainS: scenario.drainS ?? (isStub(target) ? null : DRAIN_AT_ENDPOINT_S),
      limits: options.limits,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    const aside = options.meanwhile?.(runningRun(run, clock, target, parts));
    const [{ why }] = await Promise.all([run.done, aside]);
    if (writer.close()) return why;
    throw new UserError('client.jsonl: expected to write it, got a full disk', 1);
  } finally {
    await wire.close();
  }
}

function isStub(target: Target | undefined): boolean {
  return target?.isStub ?? true;
}

/** On paths that meet no admission; somebody else's endpoint is asked as little as possible. */
async function warm(wire: Wire, scenario: Scenario, target: Target | undefined, gated: boolean) {
  if (gated || target === undefined || target.isStub) {
    await warmUp(wire, '/healthz', 2 * scenario.gate.slots);
  } else {
    await askPath(wire, target.urls.modelsPath);
  }
}

function requestOptions(
  target: Target | undefined,
  gated: boolean,
  { apiKey }: LiveRunOptions,
): RequestOptions {
  return {
    path: target?.urls.completionsPath ?? '/v1/chat/completions',
    model: target?.model ?? STUB_MODEL,
    // Our own stub wants none.
    apiKey: target === undefined ? undefined : apiKey,
    tellFacts: gated || isStub(target),
    askUsage: target?.askUsage ?? true,
    fitPrompt: !isStub(target),
  };
}

function runningRun(
  run: LiveRun,
  clock: RunClock,
  target: Target | undefined,
  parts: LiveParts,
): RunningRun {
  const { gateway, stub } = parts;
  return {
    parts,
    gatewayUrl: gateway === undefined ? undefined : `http://127.0.0.1:${gateway.port}`,
    upstreamUrl: target?.urls.origin ?? `http://127.0.0.1:${stub?.port}`,
    nowUs: () => clock.nowUs(),
    progress: run.progress,
    ended: run.done,
  };
}

function wireTo(
  target: Target | undefined,
  { gateway, stub }: LiveParts,
  { ca, insecure = false }: LiveRunOptions,
): Wire {
  const ours = gateway ?? stub;
  if (ours !== undefined) {
    const address = { host: '127.0.0.1', family: 4 } as const;
    return createWire({
      origin: `http://127.0.0.1:${ours.port}`,
      address,
      ca: undefined,
      insecure: false,
    });
  }
  if (target === undefined) throw new Error('expected an endpoint or a part of our own');
  return createWire({ origin: target.urls.origin, address: target.address, ca, insecure });
}

function openClientLedger(path: string, schedule: Schedule, offsetUs: number) {
  const header = {
    ledger: 'client',
    schemaVersion: LEDGER_VERSION,
    scheduleDigest: scheduleDigest(schedule),
    offsetUs,
  } as const;
  return createLedgerWriter<'client'>(path, header, { onError: () => {} });
}

async function resultOf(
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
    environment: environmentOf(target, startedAt, options),
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
