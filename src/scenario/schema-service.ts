import * as z from 'zod';
import { durationS, list, number, object, positive, positiveS, share } from './fields.ts';

const RANGE = '[from, to] in seconds, 0 <= from <= to and to more than 0';
const meanAndScv = object({
  mean: positiveS(),
  scv: number('a squared coefficient of variation, more than 0 and at most 1e4', (value) => {
    return value > 0 && value <= 1e4;
  }),
});

const bimodal = object({
  first: positiveS(),
  second: positiveS(),
  share: share(),
  scv: z.union([z.literal(0), z.literal(1)], { error: '0 (fixed) or 1 (exponential)' }).default(1),
});

const uniform = z
  .tuple([durationS(), durationS()], { error: RANGE })
  .refine(([from, to]) => from <= to && to > 0, { error: RANGE });

const branches = [
  object({ fixed: positiveS() }),
  object({ uniform }),
  object({ exponential: positiveS() }),
  object({ lognormal: meanAndScv }),
  object({ gamma: meanAndScv }),
  object({ bimodal }),
  object({
    empirical: list(positiveS(), 'a list of observed seconds').min(1, {
      error: 'at least one observed value',
    }),
  }),
] as const;

const NAMES = 'fixed, uniform, exponential, lognormal, gamma, bimodal, empirical';

/** A positive duration in seconds that is drawn. */
export const distributionSchema = z.union(branches, {
  error: `a distribution, an object with exactly one of ${NAMES}`,
});

const tokens = object({
  prefillPerS: positive(),
  gapS: durationS(),
  overheadS: durationS().default(0),
});

/** How long the work of a request takes: a distribution, or so much for each token. */
export const serviceSchema = z.union([...branches, object({ tokens })], {
  error: `a service time, an object with exactly one of ${NAMES}, tokens`,
});
