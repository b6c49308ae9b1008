/** A short open loop: Poisson arrivals well below the knee, to see whether the fitted model foretells them. */
import { setTimeout } from 'node:timers/promises';
import { request } from 'undici';
import { drawsAt, streamKey } from '../random.ts';
import { moments, quantileOf } from '../result/statistics.ts';

export interface OpenLoopOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodies: readonly string[];
  readonly atS: readonly number[];
  readonly timeoutS: number;
  /** Aborted: nothing more is sent, and what is in flight fails. */
  readonly signal?: AbortSignal;
}

export interface OpenLoop {
  readonly n: number;
  readonly failed: number;
  /** From the instant each was due. */
  readonly meanS: number | null;
  readonly p95S: number | null;
  readonly latenessP99Ms: number | null;
}

/** Instants of a Poisson process, in seconds; the same seed gives the same. */
export function poissonInstants(ratePerS: number, count: number, seed: number): number[] {
  const draws = drawsAt(streamKey(seed, 'calibrate'));
  let atS = 0;
  return Array.from({ length: count }, () => {
    atS += draws.exponential() / ratePerS;
    return atS;
  });
}

/** Sends each when it is due, whatever became of the ones before. */
export async function openLoop(options: OpenLoopOptions): Promise<OpenLoop> {
  const zeroMs = performance.now() + 50;
  const tries = options.atS.map(async (atS, i) => {
    const dueMs = zeroMs + atS * 1000;
    await reached(dueMs, options.signal);
    const lateMs = performance.now() - dueMs;
    const ok = await ask(options, options.bodies[i % options.bodies.length] ?? '');
    return { ok, lateMs, tookS: (performance.now() - dueMs) / 1000 };
  });
  const all = await Promise.all(tries);
  const took = Float64Array.from(all.filter(({ ok }) => ok).map(({ tookS }) => tookS)).sort();
  const late = Float64Array.from(all.map(({ lateMs }) => lateMs)).sort();
  return {
    n: took.length,
    failed: all.length - took.length,
    meanS: took.length === 0 ? null : moments(took).mean,
    p95S: quantileOf(took, 0.95),
    latenessP99Ms: quantileOf(late, 0.99),
  };
}

/** A timer may fire a moment early. */
async function reached(dueMs: number, signal: AbortSignal | undefined): Promise<void> {
  for (let left = dueMs - performance.now(); left > 0; left = dueMs - performance.now()) {
    if (signal?.aborted === true) return;
    await setTimeout(left, undefined, { signal }).catch(() => {});
  }
}

async function ask(options: OpenLoopOptions, body: string): Promise<boolean> {
  const { url, headers, timeoutS, signal } = options;
  const timeout = timeoutS * 1000;
  try {
    const answer = await request(url, {
      ...{ method: 'POST', headers: { ...headers }, body },
      ...{ headersTimeout: timeout, bodyTimeout: timeout, signal: signal ?? null },
    });
    await answer.body.dump({ limit: Number.MAX_SAFE_INTEGER });
    return answer.statusCode < 300;
  } catch {
    return false;
  }
}
