import type { RequestRow } from './rows.ts';

/** The row of a request that is under way; what has not come is null. */
export type RowDraft = { -readonly [K in keyof RequestRow]: RequestRow[K] };

/** The row of a request as it stands before it is sent. */
export function unsentRow(seq: number, name: string, atUs: number, inTokens: number): RowDraft {
  return {
    kind: 'request',
    seq,
    class: name,
    intendedUs: atUs,
    sentUs: null,
    firstByteUs: null,
    firstTokenUs: null,
    endUs: atUs,
    outcome: 'unsent',
    code: null,
    doorUs: null,
    doorAgeUs: null,
    waitUs: null,
    heldUs: null,
    attempts: 0,
    inTokens,
    outTokens: 0,
    preempts: 0,
    restartTokens: 0,
    wouldReject: null,
  };
}
