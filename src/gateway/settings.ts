/** What one gate is made from, with every default in one place. */
import type { Scenario } from '../scenario/types.ts';

/** Wall milliseconds; null: no limit. */
export interface Timeouts {
  /** Until the connection to the upstream stands. */
  readonly connectMs: number | null;
  /** From sending to the head of the answer. */
  readonly firstByteMs: number | null;
  /** Between two pieces of a request's body. */
  readonly bodyMs: number | null;
  /** Between two pieces of an answer. */
  readonly idleMs: number | null;
  /** How long a caller may leave an answer unread before its lease ends. */
  readonly writeMs: number | null;
}

export interface GatewaySettings {
  /** Resolved; gives policy, classes, seed and the model's checkpoints. */
  readonly scenario: Scenario;
  /** Base URL of the upstream, with or without a path. */
  readonly upstream: string;
  /** Our stub: it is told the `x-loadline-*` fields, and its resets mean a preempt. */
  readonly upstreamIsStub: boolean;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Wall seconds per scenario second. */
  readonly timeScale: number;
  readonly timeouts: Timeouts;
  /** The most that is kept of one request's body while it waits, in bytes. */
  readonly bodyLimitBytes: number;
  /** Where `cpu_busy_seconds_total` is read; null: busy is unknown. */
  readonly metricsUrl: string | null;
  /** Without one the admin paths answer to loopback alone. */
  readonly adminToken: string | null;
  /** PEM text. */
  readonly ca: string | null;
  readonly insecure: boolean;
  /** Decision lines: a file, `stdout`, or null for none. */
  readonly log: string | null;
  /** The file of the gate's ledger; null: no evidence is kept. */
  readonly ledger: string | null;
  /** Beside it, the events of runbook 001 in its own words (LEDGER_PATH). */
  readonly runbookLedger: string | null;
}

export const GATEWAY_DEFAULTS = {
  upstreamIsStub: false,
  host: '127.0.0.1',
  port: 0,
  timeScale: 1,
  timeouts: {
    connectMs: 10_000,
    bodyMs: 30_000,
    // How long an upstream may think is its operator's to say.
    firstByteMs: null,
    idleMs: null,
    writeMs: 120_000,
  },
  bodyLimitBytes: 1024 * 1024,
  metricsUrl: null,
  adminToken: null,
  ca: null,
  insecure: false,
  log: null,
  ledger: null,
  runbookLedger: null,
} satisfies Partial<GatewaySettings>;

type Needed = 'scenario' | 'upstream';

/** What has to be said, and whatever differs from the defaults. */
export type GatewayOptions = Pick<GatewaySettings, Needed> & Partial<Omit<GatewaySettings, Needed>>;
