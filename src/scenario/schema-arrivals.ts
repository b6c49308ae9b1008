import * as z from 'zod';
import {
  choice,
  durationS,
  flag,
  isWhole,
  list,
  number,
  object,
  positive,
  positiveS,
  ruleOff,
  text,
  whole,
} from './fields.ts';

const perS = () => number('arrivals per second, more than 0', (value) => value > 0);
const perSOrNone = () => number('arrivals per second, 0 or more', (value) => value >= 0);

/** The shape of the gaps: below it a run holds one burst or none, and its rate says nothing. */
const burstiness = () =>
  number(
    'a number, 1e-4 or more (1 / burstiness is the scv of the gaps)',
    (value) => value >= 1e-4,
  );

/** A factor of 2 is the burst of runbook 003. */
const burst = object({
  fromS: durationS(),
  toS: positiveS(),
  factor: number('a factor, 0 or more', (value) => value >= 0).default(2),
}).refine((window) => window.toS > window.fromS, { path: ['toS'], error: 'more than fromS' });

const bursts = list(burst, 'a list of { fromS, toS, factor }').default([]);
const wholeOrNull = whole(0).nullable().default(null);

const traceRow = object({
  atUs: whole(0),
  inTokens: wholeOrNull,
  outTokens: wholeOrNull,
  serviceUs: wholeOrNull,
  class: text().nullable().default(null),
  retry: flag().optional(),
  refused: flag().optional(),
  served: object({ serviceUs: wholeOrNull, outTokens: wholeOrNull }).optional(),
});

/** The first branch needs no `process`: arrivals are Poisson unless said otherwise. */
const branches = [
  object({ process: z.literal('poisson').default('poisson'), ratePerS: perS(), bursts }),
  object({ process: z.literal('constant'), ratePerS: perS(), bursts }),
  object({ process: z.literal('gamma'), ratePerS: perS(), burstiness: burstiness(), bursts }),
  object({
    process: z.literal('ramp'),
    fromPerS: perSOrNone(),
    toPerS: perSOrNone(),
    bursts,
  }).refine((ramp) => ramp.fromPerS + ramp.toPerS > 0, {
    path: ['toPerS'],
    error: 'a rate above 0 at one end',
  }),
  object({ process: z.literal('at'), atS: list(durationS(), 'a list of seconds') }),
  object({
    process: z.literal('trace'),
    file: text(),
    format: choice(['auto', 'azure', 'mooncake', 'burstgpt', 'qwen', 'csv', 'loadline']).default(
      'auto',
    ),
    unit: choice(['auto', 's', 'ms']).default('auto'),
    speed: positive().default(1),
    dequantiseS: durationS().default(0),
    limit: ruleOff('a whole number, 1 or more', isWhole(1)),
    retries: choice(['kept', 'left-out']).default('kept'),
    rows: list(traceRow, 'a list of recorded arrivals').default([]),
    notes: list(text(), 'a list of sentences').optional(),
  }),
] as const;

/** When requests come. */
export const arrivalsSchema = z.union(branches, {
  error: 'arrivals: { process, ratePerS, ... }',
});
