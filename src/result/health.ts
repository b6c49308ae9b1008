import type { Pace } from '../ledger/rows.ts';
import { US_PER_MS, US_PER_S } from '../units.ts';
import { quantileOf, scvOf } from './statistics.ts';
import type { Health } from './types.ts';

/** A run that sent less than this share of what was asked did not apply the load that it claims (field case D1). */
const LEAST_ACHIEVED = 0.99;
/** Lateness that would move a figure: of the SLO at the 99th percentile. */
const LATE_SHARE_OF_SLO = 0.01;
/** Below this lateness is a timer's grain, whatever the SLO; in milliseconds. */
const TIMER_GRAIN_MS = 20;
/** Event-loop delay beyond which instants are not to be trusted, in milliseconds (wall time). */
const LONGEST_LOOP_DELAY_MS = 50;
/** The gaps as sent are another process when their scv differs by more than this, relative to 1 + scv. */
const SCV_TOLERANCE = 0.25;
/** Too few gaps say nothing about their process. */
const FEWEST_GAPS = 100;
const PEAK_WINDOW_US = 100 * US_PER_MS;

/** What health is judged from besides the pace. */
export interface Asked {
  /** Arrivals of the schedule. */
  readonly count: number;
  readonly durationS: number;
  readonly sloS: number;
  readonly timeScale: number;
  /** Requests never sent because too many were in flight. */
  readonly unsent: number;
  readonly interrupted: boolean;
}

/**
 * Whether the generator kept its schedule. `generator-limited` where what was measured is not the
 * load that was asked for: too little sent, too late for the SLO, or no longer the same process.
 */
export function healthOf(pace: Pace, asked: Asked): Health {
  const late = ascending(pace.latenessUs);
  const intended = ascending(pace.intendedUs);
  const sent = ascending(pace.sentUs);
  const measured = {
    requestedRate: asked.count / asked.durationS,
    achievedRate: achievedPerS(sent, asked),
    peakPer100ms: { intended: peakIn(intended), sent: peakIn(sent) },
    latenessMs: latenessOf(late),
    eventLoopP99Ms: pace.eventLoopP99Ms,
    gapScv: gapScvOf(intended, sent),
  };
  const limits = reasons(measured, asked, sent.length);
  const notes = asked.interrupted ? ['interrupted before its end', ...limits] : limits;
  return { status: statusOf(asked, limits), notes, ...measured };
}

/** The health of an engine that sends every request when it was intended, up to where it was interrupted. */
export function exactHealth(
  intendedUs: Float64Array,
  asked: Pick<Asked, 'count' | 'durationS' | 'interrupted' | 'unsent'>,
): Health {
  const intended = intendedUs.slice().sort();
  const rate = asked.count / asked.durationS;
  const peak = peakIn(intended);
  return {
    status: asked.interrupted ? 'interrupted' : 'ok',
    notes: asked.interrupted ? ['interrupted before its end'] : [],
    requestedRate: rate,
    achievedRate: asked.interrupted ? (asked.count - asked.unsent) / asked.durationS : rate,
    peakPer100ms: { intended: peak, sent: peak },
    latenessMs: null,
    eventLoopP99Ms: null,
    gapScv: gapScvOf(intended, intended),
  };
}

function statusOf(asked: Asked, limits: readonly string[]): Health['status'] {
  if (asked.interrupted) return 'interrupted';
  return limits.length > 0 ? 'generator-limited' : 'ok';
}

/** Sends per second, over the time that the schedule gives or that the sending took if longer. */
function achievedPerS(sent: Float64Array, asked: Asked): number {
  const lastS = (sent[sent.length - 1] ?? 0) / US_PER_S;
  return sent.length / Math.max(asked.durationS, lastS);
}

function reasons(measured: Omit<Health, 'status' | 'notes'>, asked: Asked, sent: number): string[] {
  const { requestedRate, achievedRate, latenessMs, eventLoopP99Ms, gapScv } = measured;
  const found: string[] = [];
  if (asked.unsent > 0) found.push(`${asked.unsent} of ${asked.count} requests were never sent`);
  if (achievedRate < LEAST_ACHIEVED * requestedRate) {
    found.push(`sent ${round(achievedRate)}/s of ${round(requestedRate)}/s asked`);
  }
  const allowedMs = Math.max(
    TIMER_GRAIN_MS / asked.timeScale,
    LATE_SHARE_OF_SLO * asked.sloS * 1e3,
  );
  if (latenessMs !== null && latenessMs.p99 > allowedMs) {
    found.push(
      `1 % were sent over ${round(latenessMs.p99)} ms late; ${round(allowedMs)} ms allowed`,
    );
  }
  if (eventLoopP99Ms !== null && eventLoopP99Ms > LONGEST_LOOP_DELAY_MS) {
    found.push(`the generator's event loop stood still: p99 ${round(eventLoopP99Ms)} ms`);
  }
  if (gapScv !== null && sent > FEWEST_GAPS && otherProcess(gapScv)) {
    found.push(
      `gaps as sent have scv ${round(gapScv.achieved)}, intended ${round(gapScv.intended)}`,
    );
  }
  return found;
}

function otherProcess(scv: { intended: number; achieved: number }): boolean {
  return Math.abs(scv.achieved - scv.intended) > SCV_TOLERANCE * (1 + scv.intended);
}

function latenessOf(late: Float64Array): Health['latenessMs'] {
  const atMs = (p: number) => (quantileOf(late, p) ?? 0) / US_PER_MS;
  return late.length === 0 ? null : { p50: atMs(0.5), p99: atMs(0.99), max: atMs(1) };
}

/** The most that fell into any window of 100 ms. */
function peakIn(ascendingUs: Float64Array): number {
  let peak = 0;
  let first = 0;
  for (let last = 0; last < ascendingUs.length; last++) {
    while ((ascendingUs[last] ?? 0) - (ascendingUs[first] ?? 0) >= PEAK_WINDOW_US) first++;
    peak = Math.max(peak, last - first + 1);
  }
  return peak;
}

function gapScvOf(intended: Float64Array, sent: Float64Array): Health['gapScv'] {
  if (intended.length < 3 || sent.length < 3) return null;
  const scvs = { intended: scvOf(gaps(intended)), achieved: scvOf(gaps(sent)) };
  if (scvs.intended === null || scvs.achieved === null) return null;
  return { intended: scvs.intended, achieved: scvs.achieved };
}

function gaps(ascendingUs: Float64Array): Float64Array {
  return ascendingUs.subarray(1).map((us, i) => us - (ascendingUs[i] ?? 0));
}

function ascending(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort();
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
