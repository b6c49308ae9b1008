/**
 * The one gate that configuration passes, once (STYLE.md 14): what comes out is a `Scenario` with
 * every default filled in. The defaults stand in the schemas and nowhere else.
 */
import * as z from 'zod';
import { UserError } from '../errors.ts';
import { crossProblems } from './checks.ts';
import {
  DURATION_S,
  durationS,
  isDurationS,
  number,
  object,
  positiveS,
  ruleOff,
  text,
  whole,
} from './fields.ts';
import { problemsOf, problemText } from './problems.ts';
import { arrivalsSchema } from './schema-arrivals.ts';
import { classNameSchema, classSchema } from './schema-class.ts';
import { gateSchema } from './schema-gate.ts';
import { modelSchema } from './schema-model.ts';
import type { ClassSpec, Scenario } from './types.ts';

/** The class of a scenario that names none. */
export const DEFAULT_CLASS = 'task';

const condition = z
  .string({ error: "a condition such as '<0.05'" })
  .regex(/^\s*(<|<=|>|>=|==)\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i, {
    error: "a condition such as '<0.05': one of < <= > >= == and a number",
  });

const figureName = z.string().regex(/^[A-Za-z][\w-]*(\.[\w-]+)*$/, {
  error: "the path of a figure in the result, such as 'rates.breach'",
});

/** The schema itself; `parseScenario` is the way in. */
export const scenarioSchema = object({
  name: text()
    .regex(/^[A-Za-z0-9][\w .-]{0,99}$/, { error: 'a name of letters, digits, space, _ . and -' })
    .default('scenario'),
  description: text().default(''),
  durationS: positiveS().default(60),
  sloS: positiveS().default(60),
  seed: whole(0).default(1),
  drainS: ruleOff(DURATION_S, isDurationS),
  warmupS: durationS().default(0),
  arrivals: arrivalsSchema.nullable().default(null),
  classes: z
    .record(classNameSchema, classSchema, { error: 'an object of classes by name' })
    .prefault({ [DEFAULT_CLASS]: {} }),
  gate: gateSchema.prefault({}),
  model: modelSchema.prefault({}),
  maxInFlight: number('a whole number, 1 to 1e6', (value) => {
    return Number.isInteger(value) && value >= 1 && value <= 1e6;
  }).default(10_000),
  thresholds: z
    .record(figureName, condition, { error: "an object such as { 'rates.breach': '<0.05' }" })
    .default({}),
}).refine((scenario) => scenario.warmupS < scenario.durationS, {
  path: ['warmupS'],
  error: 'less than durationS',
});

/** A scenario as a person writes it: everything with a default may be left out. */
export type ScenarioInput = z.input<typeof scenarioSchema>;

/** A class that is alone takes all arrivals. */
function withSoleShare(classes: Readonly<Record<string, ClassSpec>>): Scenario['classes'] {
  const entries = Object.entries(classes);
  const sole = entries.length === 1 ? entries[0] : undefined;
  if (sole === undefined || sole[1].share !== null || sole[1].arrivals !== null) return classes;
  return { [sole[0]]: { ...sole[1], share: 1 } };
}

/**
 * Parse what a user wrote.
 * @throws UserError with one line for each problem: path, what was expected, what was got.
 */
export function parseScenario(input: unknown): Scenario {
  const parsed = scenarioSchema.safeParse(input);
  if (!parsed.success) throw new UserError(problemText(problemsOf(input, parsed.error.issues)));
  const scenario = { ...parsed.data, classes: withSoleShare(parsed.data.classes) };
  const problems = crossProblems(scenario);
  if (problems.length > 0) throw new UserError(problemText(problems));
  return scenario;
}
