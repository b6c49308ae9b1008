import { intervalOf, numberOf } from '../result/figure.ts';
import type { Figure, Replicated } from '../result/types.ts';
import { isReplicated, NO_DATA, percent, type Write } from './format.ts';
import { type Html, html } from './html.ts';

/**
 * A figure as the page shows it, with the exact number in `value` for whoever reads by machine.
 * Over replications: the mean, its 95 % interval, and the band of the runs.
 */
export function figure(of: Figure, write: Write): Html {
  const value = numberOf(of);
  if (value === null) return html`<span class="none">${NO_DATA}</span>`;
  const data = html`<data value="${value}">${write(value)}</data>`;
  if (!isReplicated(of) || isConstant(of)) return data;
  const [lo, hi] = intervalOf(of, write === percent ? 1 : undefined);
  return html`${data}<small class="spread">${range(lo, hi, write)}<br><span class="runs">runs ${range(of.band[0], of.band[1], write)}</span></small>`;
}

/** Every run gave the same. */
function isConstant({ mean, band }: Replicated): boolean {
  return band[0] === mean && band[1] === mean;
}

/** `a to b`, the unit once. */
function range(from: number, to: number, write: Write): string {
  const unit = /\u00a0\D+$/.exec(write(to))?.[0] ?? '';
  const low = write(from);
  const bare = unit !== '' && low.endsWith(unit) ? low.slice(0, -unit.length) : low;
  return `${bare} to ${write(to)}`;
}
