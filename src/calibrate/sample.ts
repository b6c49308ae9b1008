/** One answered request of a calibration. */
export interface Sample {
  /** Connections of the closed loop that it was part of. */
  readonly connections: number;
  /** Monotonic, in seconds. */
  readonly startS: number;
  readonly endS: number;
  readonly status: number;
  readonly inTokens: number;
  readonly outTokens: number;
}

/** A sample with the work that it met beside it. */
export interface Observed {
  readonly latencyS: number;
  /** Time average of the requests in service while it was, itself included. */
  readonly inService: number;
  readonly connections: number;
  readonly inTokens: number;
  readonly outTokens: number;
}

/** A time at which the number in service changes. */
type Change = readonly [atS: number, by: number];

/**
 * What each request met: latency without the round trip, and how many were in service. The number
 * is measured and not taken from the setting: connections end at different times.
 */
export function observedOf(samples: readonly Sample[], roundTripS: number): Observed[] {
  const integral = integralOf(samples, roundTripS);
  return samples.map((sample) => {
    const { connections, inTokens, outTokens } = sample;
    const [fromS, toS] = inServiceOf(sample, roundTripS);
    const latencyS = toS - fromS;
    const inService = (integral(toS) - integral(fromS)) / latencyS;
    return { latencyS, inService, connections, inTokens, outTokens };
  });
}

const SHORTEST_S = 1e-6;

function inServiceOf({ startS, endS }: Sample, roundTripS: number): [number, number] {
  return [startS, Math.max(startS + SHORTEST_S, endS - roundTripS)];
}

/** The integral over time of the number in service, to be asked at the samples' own instants. */
function integralOf(samples: readonly Sample[], roundTripS: number): (atS: number) => number {
  const changes: Change[] = samples.flatMap((sample): Change[] => {
    const [fromS, toS] = inServiceOf(sample, roundTripS);
    return [
      [fromS, 1],
      [toS, -1],
    ];
  });
  changes.sort(([a], [b]) => a - b);
  const sums = new Map<number, number>();
  let sum = 0;
  let count = 0;
  let beforeS = 0;
  for (const [atS, by] of changes) {
    sum += count * (atS - beforeS);
    sums.set(atS, sum);
    beforeS = atS;
    count += by;
  }
  return (atS) => sums.get(atS) ?? 0;
}
