import type { Preempts } from './types.ts';

type Spot = Extract<Preempts, { type: 'spot' }>;

/** When a spot host starts nothing new, goes, and is back. */
export class SpotHost {
  private readonly edges: readonly number[];
  private readonly goneAt: ReadonlySet<number>;
  private at = 0;

  /** @param fromUs edges before this instant are past and are skipped. */
  constructor(
    private readonly spot: Spot,
    fromUs: number,
  ) {
    const edges = new Set<number>();
    for (const t of spot.atUs)
      edges
        .add(t - spot.noticeUs)
        .add(t)
        .add(t + spot.backUs);
    this.edges = [...edges].sort((a, b) => a - b).filter((t) => t >= fromUs);
    this.goneAt = new Set(spot.atUs);
  }

  /** The next instant at which something changes; Infinity when nothing will. */
  nextUs(): number {
    return this.edges[this.at] ?? Number.POSITIVE_INFINITY;
  }

  /** Passes the edge at `nowUs`; true where the host goes at it. */
  pass(nowUs: number): boolean {
    if (this.nextUs() > nowUs) return false;
    this.at++;
    return this.goneAt.has(nowUs);
  }

  /** Whether work may be started: not from the notice until the host is back. */
  isOpen(nowUs: number): boolean {
    const { atUs, noticeUs, backUs } = this.spot;
    return !atUs.some((t) => nowUs >= t - noticeUs && nowUs < t + backUs);
  }
}
