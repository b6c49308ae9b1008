/**
 * The two ledgers of a live run, one JSON value a line. The first line is a header; then come the
 * inputs and effects of a machine in the order in which it met them, so that a fold of the inputs
 * must give the effects again. `t` is microseconds of scenario time since the writer's own start.
 */
import type { AdmissionConfig, Code, Effect, Input, KillCode } from '../admission/types.ts';
import type { Effect as ClientEffect, Input as ClientInput } from '../client/types.ts';
import type { FailureCode } from './rows.ts';

/** The newest form that this code writes and reads. */
export const LEDGER_VERSION = 1;

export interface GateHeader {
  readonly ledger: 'gate';
  readonly schemaVersion: 1;
  /** What the machine was made from: replay makes it again. */
  readonly config: AdmissionConfig;
}

export interface ClientHeader {
  readonly ledger: 'client';
  readonly schemaVersion: 1;
  readonly scheduleDigest: string;
  /** The gate's clock minus ours, in microseconds of scenario time, measured at the start; 0 without a gate. */
  readonly offsetUs: number;
}

export type GateLine =
  | { readonly t: number; readonly in: Input }
  | { readonly t: number; readonly out: Effect }
  /** Compute done since the start, in slot-microseconds. */
  | { readonly t: number; readonly busy: number };

/** What happened to an attempt on the wire, as the caller saw it. */
export interface WireFact {
  readonly seq: number;
  readonly attempt: number;
  /**
   * `firstByte`: the head of the answer. `firstToken`: the first generated token on any channel,
   * reasoning too. `firstContent`: the first on the channel of the answer itself.
   */
  readonly event:
    | 'sent'
    | 'firstByte'
    | 'firstToken'
    | 'firstContent'
    | 'read'
    | 'transportRetry'
    | 'end';
  /** At `end`: the status line, where there was one. */
  readonly status?: number;
  /** At `end`: why it did not go well, as a refusal or a failure says it. */
  readonly code?: Code | KillCode | FailureCode;
  readonly inTokens?: number;
  readonly outTokens?: number;
  /** The first of the answer that says why; never a key, never a prompt. */
  readonly text?: string;
}

export type ClientLine =
  | { readonly t: number; readonly in: ClientInput }
  | { readonly t: number; readonly out: ClientEffect }
  | { readonly t: number; readonly wire: WireFact }
  /** The last line of a run that came to its end. */
  | { readonly t: number; readonly end: RunEnd };

export interface RunEnd {
  readonly interrupted: boolean;
  /** Wall time; null: not measured. */
  readonly eventLoopP99Ms: number | null;
}

export interface Ledgers {
  readonly gate: { readonly header: GateHeader; readonly line: GateLine };
  readonly client: { readonly header: ClientHeader; readonly line: ClientLine };
}

/** Which ledger. */
export type LedgerKind = keyof Ledgers;
