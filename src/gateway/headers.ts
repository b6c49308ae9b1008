/**
 * Header fields as flat lists (name, value, name, value …), the form in which node:http and undici
 * keep what was on the wire: order, letter case and repeated fields survive.
 */
import type { Clock } from './clock.ts';

/** What a caller may tell the gate about a request. */
export interface CallerFacts {
  readonly seq: number | undefined;
  readonly class: string | undefined;
  readonly client: string | undefined;
  readonly attempt: number;
  readonly deadlineUs: number | undefined;
  /** Prompt tokens of the work, known only where the generator drives our stub. */
  readonly demand: string | undefined;
}

/** Fields that belong to one connection (RFC 9110 §7.6.1), and Expect, which the gate answers itself. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

/** Read and stripped by the gate, except toward a stub. */
const OURS = new Set([
  'x-loadline-seq',
  'x-loadline-class',
  'x-loadline-client',
  'x-loadline-attempt',
  'x-loadline-deadline-ms',
  'x-loadline-demand',
]);

const NAME_LIMIT = 128;

/** The value of a field in a flat list; the first one where it is repeated. */
export function fieldOf(raw: readonly string[], name: string): string | undefined {
  for (let i = 0; i + 1 < raw.length; i += 2) {
    if (raw[i]?.toLowerCase() === name) return raw[i + 1];
  }
  return undefined;
}

function namedByConnection(raw: readonly string[]): readonly string[] {
  const value = fieldOf(raw, 'connection');
  if (value === undefined) return [];
  return value.split(',').map((token) => token.trim().toLowerCase());
}

function without(raw: readonly string[], drop: (name: string) => boolean): string[] {
  const connection = namedByConnection(raw);
  const kept: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] as string;
    const lower = name.toLowerCase();
    if (drop(lower) || connection.includes(lower)) continue;
    kept.push(name, raw[i + 1] as string);
  }
  return kept;
}

/**
 * The request's fields as the upstream shall see them. Host is left to the client of the upstream;
 * Content-Length goes when the body arrived chunked.
 */
export function requestFields(raw: readonly string[], towardStub: boolean): string[] {
  const chunked = fieldOf(raw, 'transfer-encoding') !== undefined;
  return without(
    raw,
    (name) =>
      HOP_BY_HOP.has(name) ||
      name === 'host' ||
      (name === 'content-length' && chunked) ||
      (!towardStub && OURS.has(name)),
  );
}

/** The answer's fields as the caller shall see them; Content-Length goes when the upstream chunked. */
export function responseFields(raw: readonly string[]): string[] {
  const chunked = fieldOf(raw, 'transfer-encoding') !== undefined;
  return without(raw, (name) => HOP_BY_HOP.has(name) || (name === 'content-length' && chunked));
}

/** Header fields as undici hands them over: bytes, which HTTP reads as latin1. */
export function textFields(raw: readonly (Buffer | string)[]): string[] {
  return raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
}

function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,15}$/.test(text)) return undefined;
  return Number(text);
}

function name(text: string | string[] | undefined): string | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  return text.slice(0, NAME_LIMIT);
}

type Incoming = Readonly<Record<string, string | string[] | undefined>>;

function number(headers: Incoming, field: string): number | undefined {
  const value = headers[field];
  return typeof value === 'string' ? wholeNumber(value) : undefined;
}

/** What the caller says of this request. Values that make no sense are taken as absent. */
export function callerFacts(headers: Incoming): CallerFacts {
  const deadlineMs = number(headers, 'x-loadline-deadline-ms');
  return {
    seq: number(headers, 'x-loadline-seq'),
    class: name(headers['x-loadline-class']),
    client: name(headers['x-loadline-client']),
    attempt:
      number(headers, 'x-loadline-attempt') ?? number(headers, 'x-stainless-retry-count') ?? 0,
    deadlineUs: deadlineMs === undefined ? undefined : deadlineMs * 1000,
    demand: name(headers['x-loadline-demand']),
  };
}

/** Retry-After in whole wall seconds, at least one; `retry-after-ms` beside it keeps the fraction. */
export function retryAfter(clock: Clock, retryAfterUs: number): { seconds: number; ms: string } {
  const wallMs = clock.wallMs(retryAfterUs);
  return { seconds: Math.max(1, Math.ceil(wallMs / 1000)), ms: String(Number(wallMs.toFixed(3))) };
}
