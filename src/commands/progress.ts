/** How a live run is shown while it runs: one line that is rewritten on a terminal, a plain line every 5 s elsewhere. */
import type { LiveProgress } from '../engine/live.ts';
import type { RunningRun } from './live-run.ts';

const TERMINAL_EVERY_MS = 500;
const PLAIN_EVERY_MS = 5_000;
const ASK_TIMEOUT_MS = 400;

/** What the gate says of itself now. */
export interface GateNow {
  readonly queueAgeS: number | null;
  readonly admitted: number | null;
}

/** Watches a run on `stream` until it has ended. */
export async function watchRun(run: RunningRun, stream: NodeJS.WriteStream): Promise<void> {
  const isTerminal = stream.isTTY === true;
  const show = async () => {
    const gate = await gateNow(run.gatewayUrl);
    const line = progressLine(run.progress(), gate);
    if (isTerminal) stream.write(`\r\u001b[2K${line.slice(0, (stream.columns ?? 80) - 1)}`);
    else stream.write(`${line}\n`);
  };
  const timer = setInterval(() => void show(), isTerminal ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS);
  await run.ended;
  clearInterval(timer);
  if (isTerminal) stream.write('\r\u001b[2K');
}

/** `  45/300 s  1.6/s  12 in flight  queue age 4.2 s  admitted 40  turned away 3  failed 0  send lag p99 0.4 ms`: late would be a missed SLO */
export function progressLine(progress: LiveProgress, gate: GateNow): string {
  const { nowS, durationS, sent, inFlight, turnedAway, failed, latenessP99Ms } = progress;
  const elapsed = Math.max(0, Math.min(nowS, durationS));
  const parts = [
    `${elapsed.toFixed(0).padStart(4)}/${durationS} s`,
    `${plain(sent / Math.max(elapsed, 1e-3))}/s`,
    `${inFlight} in flight`,
    ...(gate.queueAgeS === null ? [] : [`queue age ${gate.queueAgeS.toFixed(1)} s`]),
    ...(gate.admitted === null ? [] : [`admitted ${gate.admitted}`]),
    `turned away ${turnedAway}`,
    ...(failed > 0 ? [`failed ${failed}`] : []),
    ...(latenessP99Ms === null ? [] : [`send lag p99 ${plain(latenessP99Ms)} ms`]),
    ...(nowS > durationS ? ['draining'] : []),
  ];
  return parts.join('  ');
}

/** Two digits below 10, no fraction above; never with an exponent. */
function plain(value: number): string {
  return value < 9.95 ? value.toPrecision(2) : value.toFixed(0);
}

/** What the gate's metrics say; nothing where it does not answer at once. */
async function gateNow(gatewayUrl: string | undefined): Promise<GateNow> {
  if (gatewayUrl === undefined) return { queueAgeS: null, admitted: null };
  try {
    const answer = await fetch(`${gatewayUrl}/metrics`, {
      signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
    });
    return gateNowIn(await answer.text());
  } catch {
    return { queueAgeS: null, admitted: null };
  }
}

/** Reads the two from a scrape. */
export function gateNowIn(metrics: string): GateNow {
  return {
    queueAgeS: sampleIn(metrics, /^queue_age_seconds (\S+)/m),
    admitted: sampleIn(metrics, /^loadline_decisions_total\{[^}]*decision="admit"[^}]*\} (\S+)/m),
  };
}

function sampleIn(metrics: string, pattern: RegExp): number | null {
  const value = Number(pattern.exec(metrics)?.[1] ?? Number.NaN);
  return Number.isFinite(value) ? value : null;
}
