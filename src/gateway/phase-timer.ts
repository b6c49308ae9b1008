/** What a time limit says when it is over. */
export interface Limit {
  readonly status: 408 | 504;
  readonly message: string;
}

export const LIMITS = {
  body: { status: 408, message: 'the request body stopped coming' },
  connect: { status: 504, message: 'no connection to the upstream in time' },
  firstByte: { status: 504, message: 'no answer from the upstream in time' },
  idle: { status: 504, message: 'the upstream fell silent' },
  write: { status: 504, message: 'the caller stopped reading' },
} as const satisfies Record<string, Limit>;

/** Node takes a longer delay for 1 ms. */
const LONGEST_MS = 2 ** 31 - 1;

/** One timer for the whole of a request's life: each phase sets what it waits for. */
export class PhaseTimer {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly onOver: (limit: Limit) => void) {}

  /** @param ms wall time; null, or more than 24 days: for ever */
  arm(limit: Limit, ms: number | null): void {
    this.stop();
    if (ms !== null && ms <= LONGEST_MS) this.timer = setTimeout(() => this.onOver(limit), ms);
  }

  /** Something came: the present limit begins again. */
  refresh(): void {
    this.timer?.refresh();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
