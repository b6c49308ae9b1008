import * as z from 'zod';
import {
  choice,
  flag,
  isPositiveS,
  isWhole,
  number,
  object,
  POSITIVE_S,
  positiveS,
  ruleOff,
  share,
  text,
  whole,
} from './fields.ts';
import { arrivalsSchema } from './schema-arrivals.ts';
import { distributionSchema, serviceSchema } from './schema-service.ts';
import type { ClassSpec } from './types.ts';

/** What is left open here depends on `kind` and is filled in by `withKind`. */
const retry = object({
  max: whole(0).default(0),
  baseS: positiveS().default(0.5),
  capS: positiveS().default(30),
  jitter: choice(['full', 'none']).default('full'),
  budget: number('0 or more, or null', (value) => value >= 0)
    .nullable()
    .default(0.1),
  honourRetryAfter: flag().default(true),
  onRefusal: flag().optional(),
  onFailure: flag().default(true),
}).refine((rule) => rule.capS >= rule.baseS, { path: ['capS'], error: 'at least baseS' });

const patience = z.union([object({ fixed: positiveS() }), object({ exponential: positiveS() })], {
  error: 'patience, an object with one of fixed, exponential',
});

const prompt = z.union([text(), object({ file: text() })], {
  error: 'text, or { file } beside the scenario',
});

const fields = object({
  kind: choice(['batch', 'interactive']).default('batch'),
  share: share().nullable().default(null),
  arrivals: arrivalsSchema.nullable().default(null),
  priority: number('a whole number', Number.isSafeInteger).default(0),
  prompt: prompt.default('Reply with one short sentence.'),
  maxTokens: whole(1).default(256),
  stream: flag().default(true),
  inTokens: ruleOff('a whole number, 1 or more', isWhole(1)),
  outTokens: ruleOff('a whole number, 1 or more', isWhole(1)),
  mayQueue: flag().optional(),
  deadlineS: ruleOff(POSITIVE_S, isPositiveS),
  expectedComputeS: ruleOff(POSITIVE_S, isPositiveS),
  service: serviceSchema.nullable().default(null),
  hold: distributionSchema.nullable().default(null),
  compute: share().optional(),
  patience: patience.nullable().default(null),
  timeoutS: ruleOff(POSITIVE_S, isPositiveS),
  retry: retry.prefault({}),
  replay: flag().default(false),
  sloS: ruleOff(POSITIVE_S, isPositiveS),
})
  .refine((spec) => spec.share === null || spec.arrivals === null, {
    path: ['share'],
    error: 'nothing where the class has arrivals of its own',
  })
  .refine((spec) => spec.hold === null || spec.stream, {
    path: ['stream'],
    error: 'true where the class has a hold (a slot is held on an open stream)',
  });

/**
 * The defaults that depend on the kind (runbook 000): interactive callers fail closed, do not wait
 * in the queue, and a held session computes at 5 %.
 */
function withKind(spec: z.output<typeof fields>, promptText: string): ClassSpec {
  const batch = spec.kind === 'batch';
  const held = !batch && spec.hold !== null;
  return {
    ...spec,
    prompt: promptText,
    mayQueue: spec.mayQueue ?? batch,
    compute: spec.compute ?? (held ? 0.05 : 1),
    retry: { ...spec.retry, onRefusal: spec.retry.onRefusal ?? batch },
  };
}

/** Who asks, and for what. */
export const classSchema = fields.transform((spec, context): ClassSpec => {
  if (typeof spec.prompt === 'string') return withKind(spec, spec.prompt);
  context.issues.push({
    code: 'custom',
    path: ['prompt'],
    message: 'text (a prompt file is read only beside a scenario file)',
    input: spec,
  });
  return z.NEVER;
});

export const classNameSchema = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, {
  error: 'a class name of letters, digits, _ and -, beginning with a letter',
});
