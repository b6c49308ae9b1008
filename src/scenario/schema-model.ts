import * as z from 'zod';
import {
  choice,
  durationS,
  flag,
  isPositiveS,
  list,
  number,
  object,
  POSITIVE_S,
  ruleOff,
  text,
  whole,
} from './fields.ts';
import { serviceSchema } from './schema-service.ts';

const preempts = z.union(
  [
    object({ type: z.literal('none') }),
    object({ type: z.literal('ticks'), ticks: whole(1), tickTokens: whole(1) }),
    object({
      type: z.literal('rate'),
      perS: number('preempts per second, 0 or more', notNegative),
    }),
    object({ type: z.literal('memory'), blocks: whole(1), blockTokens: whole(1) }),
    object({
      type: z.literal('spot'),
      atS: list(durationS(), 'a list of seconds'),
      noticeS: durationS().default(0),
      backS: durationS().default(0),
    }),
  ],
  { error: 'preempts: { type, ... }' },
);

function notNegative(value: number): boolean {
  return value >= 0;
}

/** The endpoint behind the gate, as stub and simulator play it. */
export const modelSchema = object({
  service: serviceSchema.default({ uniform: [1, 5] }),
  slots: whole(0).default(0),
  firstTokenS: ruleOff(POSITIVE_S, isPositiveS),
  slowdown: object({
    perRequest: number('a number, 0 or more', notNegative).default(0),
    from: number('a number, 0 or more', notNegative).default(0),
  }).prefault({}),
  checkpointTokens: whole(0).default(0),
  checkpointCostS: durationS().default(0),
  preempts: preempts.default({ type: 'none' }),
  preemptSignal: choice(['error', 'reset', 'silence']).default('error'),
  resume: flag().default(false),
  file: text().nullable().default(null),
});
