import { callerName } from '../../arrivals/caller-name.ts';
import type { Arrival } from '../../arrivals/schedule.ts';
import type { ClassSpec, Demand } from '../../scenario/types.ts';
import type { WireRequest } from './wire.ts';

/** What all requests of a run have in common. */
export interface RequestOptions {
  readonly path: string;
  readonly model: string;
  readonly apiKey: string | undefined;
  /** Ours, gate or stub: it is told the sequence number and the class, a stub also the demand. */
  readonly tellFacts: boolean;
  /** Some servers refuse `stream_options`. */
  readonly askUsage: boolean;
  /** The prompt is stretched or cut to the tokens of the demand; toward a stub the header says them. */
  readonly fitPrompt: boolean;
}

const CHARACTERS_PER_TOKEN = 4;

/** The HTTP request of one attempt. */
export function attemptRequest(
  arrival: Arrival,
  attempt: number,
  spec: ClassSpec,
  options: RequestOptions,
): WireRequest {
  return {
    method: 'POST',
    path: options.path,
    headers: headersOf(arrival, attempt, options),
    body: bodyOf(arrival, spec, options),
  };
}

/** The fields that every request carries, a preflight too. */
export function commonHeaders(apiKey: string | undefined): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'text/event-stream, application/json',
    // A compressed stream arrives in lumps, which would be taken for the server's own pauses.
    'accept-encoding': 'identity',
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
}

/** What authorizes a request; undefined: nothing. */
export function keyIn({ headers }: Pick<WireRequest, 'headers'>): string | undefined {
  return headers['authorization']?.replace(/^Bearer /, '');
}

function headersOf(
  arrival: Arrival,
  attempt: number,
  { apiKey, tellFacts }: RequestOptions,
): Record<string, string> {
  const { seq, class: name, keySeq, demand } = arrival;
  const headers = commonHeaders(apiKey);
  if (!tellFacts) return headers;
  headers['x-loadline-seq'] = String(seq);
  headers['x-loadline-class'] = name;
  headers['x-loadline-client'] = callerName(arrival);
  headers['x-loadline-attempt'] = String(attempt);
  headers['x-loadline-demand'] = demandHeader(demand, keySeq, attempt);
  return headers;
}

/** As the stub reads it: so no work is drawn twice. */
function demandHeader(demand: Demand, keySeq: number, attempt: number): string {
  const { serviceUs, inTokens, outTokens, holdUs } = demand;
  return `service=${serviceUs};in=${inTokens};out=${outTokens};hold=${holdUs};key=${keySeq};attempt=${attempt}`;
}

function bodyOf(arrival: Arrival, spec: ClassSpec, options: RequestOptions): string {
  const { inTokens, outTokens } = arrival.demand;
  const content = options.fitPrompt ? fitted(spec.prompt, inTokens) : spec.prompt;
  const stream = spec.stream || spec.hold !== null;
  return JSON.stringify({
    model: options.model,
    messages: [{ role: 'user', content }],
    max_tokens: Math.max(1, outTokens),
    stream,
    ...(stream && options.askUsage ? { stream_options: { include_usage: true } } : {}),
  });
}

/** A prompt of about this many tokens: the text as it is where that is its length, else repeated and cut. */
export function fitted(prompt: string, tokens: number): string {
  const own = Math.max(1, Math.ceil(prompt.length / CHARACTERS_PER_TOKEN));
  if (tokens === own || prompt === '') return prompt;
  const length = Math.max(1, tokens * CHARACTERS_PER_TOKEN);
  const text = `${prompt}\n`.repeat(Math.ceil(length / (prompt.length + 1)));
  return text.slice(0, length);
}
