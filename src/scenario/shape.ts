/** What may stand at a path of a scenario, read off the schema itself so that it cannot drift. */
import * as z from 'zod';

/** A place in the schema: the schemas that may apply there (several below a union). */
export type Place = readonly z.ZodType[];

/** Without defaults, null, refinements and transforms. */
function core(schema: unknown): z.ZodType | undefined {
  let inner = schema;
  while (inner instanceof z.ZodType) {
    if (inner instanceof z.ZodPipe) inner = inner.in;
    else if (isWrapper(inner)) inner = inner.unwrap();
    else return inner;
  }
  return undefined;
}

function isWrapper(schema: z.ZodType) {
  return (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodOptional
  );
}

/** The alternatives of a place, unwrapped. */
function alternatives(place: Place): z.ZodType[] {
  return place.flatMap((schema) => {
    const inner = core(schema);
    if (inner instanceof z.ZodUnion) return alternatives(inner.options.flatMap(asType));
    return inner === undefined ? [] : [inner];
  });
}

function asType(schema: unknown): z.ZodType[] {
  return schema instanceof z.ZodType ? [schema] : [];
}

/** The keys that a place has of itself; none where it is a value, a list or a record. */
export function keysOf(place: Place): string[] {
  const keys = alternatives(place).flatMap((schema) =>
    schema instanceof z.ZodObject ? Object.keys(schema.shape) : [],
  );
  return [...new Set(keys)];
}

/** One level down; empty where there is nothing of that name. */
export function childOf(place: Place, key: string): Place {
  return alternatives(place).flatMap((schema) => {
    if (schema instanceof z.ZodObject) {
      return Object.hasOwn(schema.shape, key) ? asType(schema.shape[key]) : [];
    }
    if (schema instanceof z.ZodRecord) return asType(schema.valueType);
    if (!/^\d+$/.test(key)) return [];
    if (schema instanceof z.ZodArray) return asType(schema.element);
    return schema instanceof z.ZodTuple ? asType(schema._zod.def.items[Number(key)]) : [];
  });
}

/** Whether the keys below are the user's own: classes, thresholds. */
export function isRecord(place: Place): boolean {
  return alternatives(place).some((schema) => schema instanceof z.ZodRecord);
}

/** Whether it holds a list. */
export function isList(place: Place): boolean {
  return alternatives(place).some(
    (schema) => schema instanceof z.ZodArray || schema instanceof z.ZodTuple,
  );
}

/** Whether it holds exactly one key out of several, as a distribution does. */
export function isOneKeyed(place: Place): boolean {
  const all = alternatives(place);
  const objects = all.filter((schema) => schema instanceof z.ZodObject);
  return objects.length > 1 && objects.every((schema) => Object.keys(schema.shape).length === 1);
}
