import type { PublishedAdmission } from '../admission-published.ts';
import type { Claim } from '../drill.ts';
import { type InBurst, type OpenLoop, scheduled } from './measure.ts';

export interface Measured {
  readonly published: PublishedAdmission;
  /** AGE 25 and DEPTH 2, as the runbook has them. */
  readonly asWritten: OpenLoop;
  /** AGE_REJECT=1e9. */
  readonly ageOff: OpenLoop;
  /** ADMIT_ALWAYS=1. */
  readonly always: OpenLoop;
  readonly burst: InBurst;
}

/** What runbook 003 says, beside what was measured. */
export function admissionClaims({
  published,
  asWritten,
  ageOff,
  always,
  burst,
}: Measured): Claim[] {
  return [
    {
      claim: 'the harness rejects when the queue is old or deep',
      measured: `it cannot: its arrival loop waits for a worker before it enqueues, so nothing queues; ${n(published.offered)} of ${n(scheduled())} arrivals offered, ${n(published.rejected)} rejected, the loop stood still for ${n(published.stalledS)} s of 300`,
      verdict: 'does not hold',
    },
    {
      claim: 'admitted 178, rejected 61, done 178, late 9 from 300 s of this schedule',
      measured: `239 arrivals are fewer than the ${n(scheduled())} that the schedule holds, and four workers at 17.5 s finish ${n((4 * 300) / 17.5)} in 300 s; an open loop admits ${n(asWritten.admitted)}, rejects ${n(asWritten.turnedAway)}, ${n(asWritten.late)} late`,
      verdict: 'does not hold',
    },
    {
      claim: 'in the burst worker utilization fell to about 60 %',
      measured: `${percent(published.burstUtilization)} in the published loop, ${percent(burst.busy)} in the open one: a worker that waits for the model is busy, and all were`,
      verdict: 'does not hold',
    },
    {
      claim: 'rejections cluster in the burst',
      measured: `${percent(burst.rejections)} of them, as ${percent(burst.arrivals)} of the arrivals: it is overload before and after too`,
      verdict: burst.rejections > burst.arrivals + 0.1 ? 'holds' : 'in part',
    },
    {
      claim: 'AGE_REJECT=1e9 is the same code path as ADMIT_ALWAYS',
      measured: `with 1e9 the depth rule still turns ${n(ageOff.turnedAway)} of ${n(ageOff.offered)} away; ADMIT_ALWAYS turns ${n(always.turnedAway)} away and ${n(always.late)} are late`,
      verdict: 'does not hold',
    },
    {
      claim: 'behind a queue older than 25 s new work cannot make its deadline of 60 s',
      measured: `a wait of up to 30 s still can (60 s less 30 s of service); and with this rule ${percent(asWritten.late / asWritten.admitted)} of the admitted are late all the same`,
      verdict: 'in part',
    },
    {
      claim: 'the failure is one of admission, not of capacity',
      measured: `3.5 to 7 times capacity is offered: the rule serves ${percent(asWritten.goodput)} of it in time, none at all ${percent(always.goodput)}; the rest is capacity`,
      verdict: 'in part',
    },
  ];
}

/** In our own words. */
export const ADMISSION_NOT_FOR: readonly string[] = [
  'whoever has deadlines of their own on each task: slack says more than one age for all',
  'whoever serves classes that differ by orders of size: one age rejects the small for the large',
  'whoever can add workers at once: the threshold decides who is turned away, not how many are served',
  'whoever measured on another endpoint: the seconds transfer only as far as the service times do',
];

function n(value: number): string {
  return String(Math.round(value));
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
