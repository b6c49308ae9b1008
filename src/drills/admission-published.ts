/**
 * Runbook 003's harness as it was published, in virtual time, with only its crash mended (Python's
 * semaphore has no `locked()` before 3.14). Its fault is kept: the arrival loop itself takes the
 * in-flight semaphore before it enqueues, so arrivals stop while the pool is full. That is a closed
 * loop: nothing ever queues, so neither threshold can fire.
 */

export interface PublishedAdmissionOptions {
  readonly lengthS: number;
  readonly ratePerS: number;
  readonly burstFromS: number;
  readonly burstToS: number;
  readonly workers: number;
  readonly sloS: number;
}

/** The script's own numbers. */
export const PUBLISHED_ADMISSION: PublishedAdmissionOptions = {
  lengthS: 300,
  ratePerS: 0.8,
  burstFromS: 120,
  burstToS: 240,
  workers: 4,
  sloS: 60,
};

/** Draws of one run: exponential gaps of mean 1, and services in seconds. */
export interface PublishedDraws {
  gap(): number;
  serviceS(): number;
}

export interface PublishedAdmission {
  readonly offered: number;
  readonly rejected: number;
  readonly sloBreach: number;
  /** How long the arrival loop stood still because the pool was full. */
  readonly stalledS: number;
  readonly longestStallS: number;
  /** Share of worker time in a model call within the burst. */
  readonly burstUtilization: number;
}

/** One run of the published harness. It cannot reject: the queue is empty whenever it looks. */
export function publishedAdmission(
  options: PublishedAdmissionOptions,
  draws: PublishedDraws,
): PublishedAdmission {
  const freeAtS: number[] = Array.from({ length: options.workers }, () => 0);
  let nowS = 0;
  let offered = 0;
  let sloBreach = 0;
  let stalledS = 0;
  let longestStallS = 0;
  let burstBusyS = 0;
  while (nowS < options.lengthS) {
    const inBurst = nowS >= options.burstFromS && nowS < options.burstToS;
    nowS += draws.gap() / (inBurst ? 2 * options.ratePerS : options.ratePerS);
    offered++;
    const worker = freeAtS.indexOf(Math.min(...freeAtS));
    const stallS = Math.max(0, (freeAtS[worker] ?? 0) - nowS);
    stalledS += stallS;
    longestStallS = Math.max(longestStallS, stallS);
    nowS += stallS;
    const serviceS = draws.serviceS();
    freeAtS[worker] = nowS + serviceS;
    burstBusyS += overlapS(nowS, nowS + serviceS, options.burstFromS, options.burstToS);
    if (serviceS > options.sloS) sloBreach++;
  }
  const burstS = (options.burstToS - options.burstFromS) * options.workers;
  const burstUtilization = burstS === 0 ? 0 : burstBusyS / burstS;
  return { offered, rejected: 0, sloBreach, stalledS, longestStallS, burstUtilization };
}

function overlapS(fromS: number, toS: number, windowFromS: number, windowToS: number): number {
  return Math.max(0, Math.min(toS, windowToS) - Math.max(fromS, windowFromS));
}
