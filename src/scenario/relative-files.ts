/** Files that a scenario names, relative to its own folder. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UserError } from '../errors.ts';
import type { Arrivals, ClassSpec, Scenario, TraceRow } from './types.ts';

export type Trace = Extract<Arrivals, { process: 'trace' }>;

/** What a trace file holds, and what a reader of the figures should know of it. */
export interface ReadTrace {
  readonly rows: readonly TraceRow[];
  readonly notes: readonly string[];
}

/** Turns the text of a trace file into its arrivals; throws a UserError where it cannot. */
export type TraceReader = (text: string, trace: Trace) => ReadTrace;

type Plain = Readonly<Record<string, unknown>>;

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readText(file: string, folder: string, at: string): string {
  try {
    return readFileSync(resolve(folder, file), 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer';
    const why = code === 'ENOENT' ? 'no such file' : code;
    throw new UserError(`${at}: expected a file that can be read, got ${file} (${why})`);
  }
}

/**
 * The input with its prompt files and its model file read in; what a model file says replaces what
 * the scenario says.
 * @throws UserError naming the field and the file
 */
export function inlineFiles(input: unknown, folder: string): unknown {
  if (!isPlain(input)) return input;
  const { classes, model } = input;
  return {
    ...input,
    ...(isPlain(classes) ? { classes: withPrompts(classes, folder) } : {}),
    ...(isPlain(model) ? { model: withModelFile(model, folder) } : {}),
  };
}

function withPrompts(classes: Plain, folder: string): Plain {
  const entries = Object.entries(classes).map(([name, spec]) => {
    const prompt = isPlain(spec) ? spec['prompt'] : undefined;
    const file = isPlain(prompt) ? prompt['file'] : undefined;
    if (!isPlain(spec) || typeof file !== 'string') return [name, spec] as const;
    const text = readText(file, folder, `classes.${name}.prompt.file`);
    return [name, { ...spec, prompt: text }] as const;
  });
  return Object.fromEntries(entries);
}

function withModelFile(model: Plain, folder: string): Plain {
  const { file } = model;
  if (typeof file !== 'string') return model;
  const fitted = parseFitted(readText(file, folder, 'model.file'), file);
  return { ...model, ...fitted, file };
}

/** `calibrate` writes `{ model: { service, slowdown, ... }, ... }`; the evidence beside it is for people. */
function parseFitted(text: string, file: string): Plain {
  try {
    const written: unknown = JSON.parse(text);
    if (isPlain(written) && isPlain(written['model'])) return written['model'];
  } catch {
    // Told below, like any other file that is not one of ours.
  }
  throw new UserError(`model.file: expected JSON with a key "model", got ${file}`);
}

/**
 * The scenario with the rows of its traces read from their files; traces that have rows are left.
 * @param folder the scenario's own
 * @param read knows the formats
 * @throws UserError when a file cannot be read
 */
export function fillTraces(scenario: Scenario, folder: string, read: TraceReader): Scenario {
  const classes = Object.entries(scenario.classes).map(([name, spec]): [string, ClassSpec] => [
    name,
    { ...spec, arrivals: filled(spec.arrivals, folder, read, `classes.${name}.arrivals.file`) },
  ]);
  return {
    ...scenario,
    arrivals: filled(scenario.arrivals, folder, read, 'arrivals.file'),
    classes: Object.fromEntries(classes),
  };
}

function filled(
  arrivals: Arrivals | null,
  folder: string,
  read: TraceReader,
  at: string,
): Arrivals | null {
  if (arrivals?.process !== 'trace' || arrivals.rows.length > 0) return arrivals;
  return { ...arrivals, ...read(readText(arrivals.file, folder, at), arrivals) };
}
