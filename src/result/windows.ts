import type { Window } from '../verdicts/facts.ts';
import { numberOf } from './figure.ts';
import type { Result, TimePoint } from './types.ts';

/** The timeline of a run (replication 0) as what verdicts are judged on. */
export function windowsOf(result: Result): Window[] {
  const { timeline, queueAgeS } = result;
  const widthS = (timeline[1]?.tS ?? result.scenario.resolved.durationS) - (timeline[0]?.tS ?? 0);
  const most = numberOf(queueAgeS.max) ?? 0;
  return timeline.map((point) => windowOf(point, widthS, most));
}

/** Queue age grows with time, so at the end of an interval it is half a width above the average. */
function windowOf(point: TimePoint, widthS: number, mostS: number): Window {
  const { tS, queueAgeS, queueDepth, leases, busy, slackS, completed } = point;
  return {
    fromS: tS,
    toS: tS + widthS,
    queueAgeS: Math.min(mostS, queueDepth > 0 ? queueAgeS + widthS / 2 : queueAgeS),
    queued: queueDepth,
    leased: leases,
    busy,
    slackS,
    completed,
  };
}
