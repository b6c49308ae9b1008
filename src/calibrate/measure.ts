/** The levels of a calibration: 1, 2, 4, 8 … connections until throughput stops growing. */
import { request } from 'undici';
import { quantileOf } from '../result/statistics.ts';
import { figuresOf, LEAST_GROWTH, type Level } from './calibration.ts';
import { type ClosedLoopOptions, closedLoop } from './closed-loop.ts';

export interface MeasureOptions
  extends Omit<ClosedLoopOptions, 'connections' | 'requestsPerConnection'> {
  readonly mostConnections: number;
  /** At least so many requests at each level, and so many on each connection. */
  readonly requestsPerLevel: number;
  readonly leastPerConnection: number;
  /** Requests in all; no level is begun that would go beyond it. */
  readonly mostRequests: number;
  readonly onLevel?: (level: Level) => void;
}

type Plan = Pick<
  MeasureOptions,
  'mostConnections' | 'requestsPerLevel' | 'leastPerConnection' | 'mostRequests'
> & { readonly shapes: readonly unknown[] };

/** How many requests each level sends where none ends it early. */
export function plannedRequests(options: Plan): number[] {
  const planned: number[] = [];
  let spent = 0;
  for (let connections = 1; connections <= options.mostConnections; connections *= 2) {
    const requests = connections * perConnection(options, connections);
    spent += requests;
    if (planned.length > 0 && spent > options.mostRequests) break;
    planned.push(requests);
  }
  return planned;
}

/**
 * Measures level after level. A 429, or a level that mostly fails, ends it as well. One that is
 * interrupted ends with the level that was cut off, which says so.
 */
export async function measureLevels(options: MeasureOptions): Promise<Level[]> {
  const levels: Level[] = [];
  for (const [i, requests] of plannedRequests(options).entries()) {
    const connections = 2 ** i;
    const requestsPerConnection = requests / connections;
    const measured = await closedLoop({ ...options, connections, requestsPerConnection });
    const isCut = options.signal?.aborted === true;
    if (isCut && measured.samples.length === 0) break;
    const level = isCut ? { ...measured, isCut } : measured;
    levels.push(level);
    options.onLevel?.(level);
    if (isCut || isLast(levels)) break;
  }
  return levels;
}

/** Every connection asks each shape equally often. */
function perConnection(options: Plan, connections: number): number {
  const { requestsPerLevel, leastPerConnection, shapes } = options;
  const wanted = Math.max(leastPerConnection, Math.ceil(requestsPerLevel / connections));
  return Math.ceil(wanted / shapes.length) * shapes.length;
}

function isLast(levels: readonly Level[]): boolean {
  const [before, now] = levels.slice(-2).map(figuresOf);
  const last = now ?? before;
  if (last === undefined) return false;
  if (last.limited > 0 || last.failed > last.n) return true;
  return before !== undefined && now !== undefined && now.perS < LEAST_GROWTH * before.perS;
}

/** The way itself and not what disturbed it: a slow one is the machine's, a quick one is nobody's luck. */
const QUICK = 0.1;

export interface RoundTripOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** For one answer. */
  readonly timeoutS: number;
  readonly signal?: AbortSignal;
  readonly times?: number;
}

/** Seconds for the smallest answer that the endpoint gives: the way there and back, and no service. */
export async function roundTrip(
  url: string,
  { headers, timeoutS, signal, times = 20 }: RoundTripOptions,
): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    const fromMs = performance.now();
    const answer = await request(url, {
      ...{ method: 'GET', headers: { ...headers } },
      ...{ headersTimeout: 1000 * timeoutS, bodyTimeout: 1000 * timeoutS, signal: signal ?? null },
    });
    await answer.body.dump();
    took.push((performance.now() - fromMs) / 1000);
  }
  return quantileOf(Float64Array.from(took).sort(), QUICK) ?? 0;
}
