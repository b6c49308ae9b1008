import type { Demand } from './types.ts';

/** What our generator tells our stub about a request, so that no work is drawn twice. */
export interface DemandNote {
  readonly demand: Demand;
  /** The place of the request's draws, with `attempt`. */
  readonly keySeq: number;
  readonly attempt: number;
}

const FORM =
  /^service=(\d{1,15});in=(\d{1,9});out=(\d{1,9});hold=(\d{1,15});key=(\d{1,15});attempt=(\d{1,9})$/;

/**
 * The value of the header `x-loadline-demand`, at most 110 characters, durations in microseconds:
 * `service=1500000;in=12;out=256;hold=0;key=7;attempt=0`.
 */
export function encodeDemand({ demand, keySeq, attempt }: DemandNote): string {
  const { serviceUs, inTokens, outTokens, holdUs } = demand;
  return `service=${serviceUs};in=${inTokens};out=${outTokens};hold=${holdUs};key=${keySeq};attempt=${attempt}`;
}

/** Reads the value of `x-loadline-demand`; undefined where it is not one. */
export function decodeDemand(text: string): DemandNote | undefined {
  const found = FORM.exec(text);
  if (found === null) return undefined;
  const [serviceUs = 0, inTokens = 0, outTokens = 0, holdUs = 0, keySeq = 0, attempt = 0] = found
    .slice(1)
    .map(Number);
  return { demand: { serviceUs, inTokens, outTokens, holdUs }, keySeq, attempt };
}
