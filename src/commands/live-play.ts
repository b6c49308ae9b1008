/** The play itself: a schedule over a wire, from the warm-up to the last answer, into the client's ledger. */
import type { Schedule } from '../arrivals/schedule.ts';
import { askPath } from '../engine/live/ask.ts';
import { type RunClock, startRunClock } from '../engine/live/clock.ts';
import { STUB_MODEL } from '../engine/live/preflight.ts';
import type { RequestOptions } from '../engine/live/request.ts';
import { clockOffsetUs, warmUp } from '../engine/live/warm-up.ts';
import { createWire, type Wire } from '../engine/live/wire.ts';
import { type LiveRun, startLive } from '../engine/live.ts';
import { UserError } from '../errors.ts';
import { scheduleDigest } from '../ledger/digest.ts';
import { LEDGER_VERSION } from '../ledger/lines.ts';
import { createLedgerWriter } from '../ledger/writer.ts';
import type { Scenario } from '../scenario/types.ts';
import type { LiveParts } from './live-parts.ts';
import type { LiveRunOptions, RunningRun } from './live-run.ts';
import type { Target } from './live-target.ts';
import { unlessInterrupted } from './signals.ts';

/** At an endpoint that is not ours nobody can know that what is in flight will ever end. */
const DRAIN_AT_ENDPOINT_S = 120;
/** From the end of the preparations to the first instant of the run, wall time. */
const LEAD_MS = 50;

/**
 * Plays a schedule at parts that run. Returns why it was cut short, or null.
 * @throws UserError where the client's ledger could not be written
 */
export async function play(
  scenario: Scenario,
  schedule: Schedule,
  target: Target | undefined,
  parts: LiveParts,
  options: LiveRunOptions,
): Promise<string | null> {
  const wire = wireTo(target, parts, options);
  try {
    const gated = parts.gateway !== undefined;
    // Who goes now is noticed by the play itself, which keeps a whole folder.
    await unlessInterrupted(options.signal, warm(wire, scenario, target, gated)).catch(() => {});
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
