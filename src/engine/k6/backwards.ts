/** Times of an import that run backwards: a clock was set, or two of them disagree (field case D11). */
import type { Arrival } from '../../arrivals/schedule.ts';
import type { Facts } from './metrics.ts';

/** A millisecond of k6's own rounding is no sign of a clock. */
const GRAIN_US = 1000;
/** How facts say that there is no such time. */
const NONE = -1;

export interface Backwards {
  readonly seq: number;
  /** `ended 4.2 s before it was sent` */
  readonly text: string;
}

/** Every request of which one instant lies before another that it must follow, in order of arrival. */
export function backwardsIn(
  facts: ReadonlyMap<number, Facts>,
  arrivals: readonly Pick<Arrival, 'seq' | 'atUs'>[],
): Backwards[] {
  return arrivals.flatMap(({ seq, atUs }) => {
    const known = facts.get(seq);
    const text = known === undefined ? undefined : wrongIn(known, atUs);
    return text === undefined ? [] : [{ seq, text }];
  });
}

function wrongIn({ sentUs, firstByteUs, endUs, waitUs }: Facts, atUs: number): string | undefined {
  const pairs: readonly (readonly [number, string])[] = [
    [sentUs - endUs, 'ended % before it was sent'],
    [atUs - sentUs, 'was sent % before it was due'],
    [firstByteUs === NONE ? 0 : sentUs - firstByteUs, 'was answered % before it was sent'],
    [firstByteUs === NONE ? 0 : firstByteUs - endUs, 'ended % before its answer began'],
    [waitUs === NONE ? 0 : waitUs - (endUs - sentUs), 'waited % longer than it took'],
    [waitUs === NONE ? 0 : -waitUs, 'waited % less than nothing'],
  ];
  const wrong = pairs.find(([byUs]) => byUs > GRAIN_US);
  return wrong?.[1].replace('%', `${Number((wrong[0] / 1e6).toPrecision(3))} s`);
}

const SHOWN = 8;

/** What a reader of the run must know of them; none where no time runs backwards. */
export function backwardsNotes(found: readonly Backwards[], of: number): string[] {
  if (found.length === 0) return [];
  const shown = found.slice(0, SHOWN).map(({ seq, text }) => `${seq} ${text}`);
  const more = found.length > SHOWN ? `; ${found.length - SHOWN} more` : '';
  return [
    `${found.length} of ${of} arrivals have a time that runs backwards, as where a clock was set: ${shown.join('; ')}${more}. Where a duration is below 0 it counts as 0`,
  ];
}
