import type { Claim } from '../drill.ts';
import { publishedLeaseHold, publishedSummary } from '../lease-hold-published.ts';
import { summaryLine, type Watched } from './watch.ts';

/** What runbook 000 says, beside what its script prints and what the mended drills measure. */
export function leaseHoldClaims(corrected: Watched, crossing: Watched): Claim[] {
  const published = (mode: 'reject' | 'admit') => {
    const { dequeued, maxAgeS, rejects } = publishedSummary(publishedLeaseHold(mode));
    return summaryLine(dequeued, maxAgeS, rejects);
  };
  const mended = summaryLine(
    corrected.dequeueAgesS.length,
    Math.max(0, ...corrected.dequeueAgesS),
    corrected.rejects,
  );
  return [
    {
      claim: 'mode reject: six jobs dequeued, oldest 25 s, one rejection',
      measured: `the script prints "${published('reject')}": a job that is dequeued never ends, so its slot never comes free`,
      verdict: 'does not hold',
    },
    {
      claim: 'mode admit: six jobs dequeued, oldest 180 s, none rejected',
      measured: `the script prints "${published('admit')}": the second session meets a full pool`,
      verdict: 'does not hold',
    },
    {
      claim: 'admission by slack keeps the oldest age near the compute time of 25 s',
      measured: `with the script mended: "${mended}", all done at t = ${corrected.doneS.toFixed(0)}; the first session was let in before any job came`,
      verdict: 'does not hold',
    },
    {
      claim: 'below 90 s of slack new interactive leases are refused, with a reason',
      measured: `never in the published run (least slack 290 s); in the crossing drill from the probe of t = ${crossing.firstByRuleIntendedS?.toFixed(0) ?? '?'} on`,
      verdict: 'in part',
    },
    {
      claim: 'low CPU beside an old queue means held slots, not spare capacity',
      measured: 'two holds compute at 5 % for 400 s while the oldest job reaches an age of 395 s',
      verdict: 'holds',
    },
    {
      claim: 'rejecting new sessions gives the batch its slots back',
      measured: 'it stops the next session only; the slots come back when the holding sessions end',
      verdict: 'in part',
    },
    {
      claim: 'the rule decides where sessions may not queue',
      measured:
        'never: slack falls only while batch waits, the pool is full then, and they are refused anyway',
      verdict: 'does not hold',
    },
  ];
}

/** In our own words. */
export const LEASE_HOLD_NOT_FOR: readonly string[] = [
  'whoever debugs on machines of their own: no session can take a slot from batch there',
  'whoever has a hard limit on every lease (maxHoldS): no hold outlives it, so there is nothing to refuse',
  'whoever has no deadline: slack is not defined, and queue age or a limit on the wait is the signal',
  'whoever would put paying traffic on a pool that can be taken away: the wait then has other causes',
];
