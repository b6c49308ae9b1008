import { type KeyedRng, movableDraws, streamKey } from '../random.ts';
import { drawUs, tokenServiceS, tokensOf } from '../scenario/distribution.ts';
import type {
  ClassSpec,
  Demand,
  Distribution,
  Scenario,
  TokenService,
  TraceRow,
} from '../scenario/types.ts';
import { usFromS } from '../units.ts';

/** The demand of the arrival at a place of its process; what a recorded row holds is kept. */
export type DrawDemand = (keySeq: number, row: TraceRow | null) => Demand;

/**
 * How the demand of a class is drawn. Each draw has its own place (stream, class, keySeq), so that
 * no other class, share, gate or retry moves it.
 */
export function demandOf(
  scenario: Scenario,
  name: string,
  spec: ClassSpec,
  seed: number,
): DrawDemand {
  const rng = movableDraws();
  const ofClass = tokensOf(spec);
  const serviceUs = serviceOf(spec.service ?? scenario.model.service, name, seed, rng);
  const holdUs = holdOf(spec.hold, name, seed, rng);
  return (keySeq, row) => {
    const inTokens = row?.inTokens ?? ofClass.inTokens;
    const outTokens = row?.outTokens ?? ofClass.outTokens;
    const recordedUs = row === null ? null : row.serviceUs;
    const drawnUs = recordedUs ?? serviceUs(keySeq, inTokens, outTokens);
    return {
      serviceUs: drawnUs,
      inTokens,
      outTokens,
      holdUs: holdUs === null ? 0 : holdUs(keySeq),
    };
  };
}

/** Whether a row leaves the service time to be drawn. */
export function serviceIsDrawn(service: Distribution | TokenService, row: TraceRow): boolean {
  if (row.serviceUs !== null) return false;
  return !('tokens' in service) || row.inTokens === null || row.outTokens === null;
}

function serviceOf(
  service: Distribution | TokenService,
  name: string,
  seed: number,
  rng: KeyedRng,
): (keySeq: number, inTokens: number, outTokens: number) => number {
  if ('tokens' in service) {
    return (_, inTokens, outTokens) => usFromS(tokenServiceS(service, { inTokens, outTokens }));
  }
  const key = streamKey(seed, 'service', name);
  return (keySeq) => drawUs(service, rng.moveTo(key, keySeq));
}

function holdOf(
  hold: Distribution | null,
  name: string,
  seed: number,
  rng: KeyedRng,
): ((keySeq: number) => number) | null {
  if (hold === null) return null;
  const key = streamKey(seed, 'hold', name);
  return (keySeq) => drawUs(hold, rng.moveTo(key, keySeq));
}
