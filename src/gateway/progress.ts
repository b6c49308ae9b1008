/** Wall time between two reports of one lease. */
const EVERY_MS = 250;

/** Tells how many tokens a lease has made, now and then and never the same number twice. */
export class Progress {
  private told = 0;
  private toldAtMs = 0;

  constructor(private readonly tell: (tokens: number) => void) {}

  /** Not again so soon after the last. */
  nowAndThen(tokens: number): void {
    const nowMs = performance.now();
    if (nowMs - this.toldAtMs < EVERY_MS) return;
    this.toldAtMs = nowMs;
    this.now(tokens);
  }

  now(tokens: number): void {
    if (tokens <= this.told) return;
    this.told = tokens;
    this.tell(tokens);
  }

  /** The work starts again, from so many tokens. */
  restart(tokens: number): void {
    this.told = tokens;
  }
}
