/** The first request to somebody's endpoint: is the URL right, the key, the model? Asked once, before a run of thousands. */
import { UserError } from '../../errors.ts';
import { Answer, type Ending } from './answer.ts';
import { ask, askPath, jsonOf, type NoReply, type Reply } from './ask.ts';
import type { EndpointUrls } from './endpoint-url.ts';
import { commonHeaders } from './request.ts';
import { told } from './told.ts';
import type { Wire } from './wire.ts';

/** A model may take its time to load. */
const TIMEOUT_MS = 120_000;
/** A list of models needs none. */
const MODELS_TIMEOUT_MS = 10_000;
/** What our stub calls its model, and how it is known for a stub. */
export const STUB_MODEL = 'loadline-stub';

export interface PreflightOptions {
  readonly urls: EndpointUrls;
  readonly apiKey: string | undefined;
  /** As the user named it; undefined: the endpoint's only one. */
  readonly model: string | undefined;
  /** For each answer, in wall time; a model may take 120 s to load unless given. */
  readonly timeoutMs?: number | undefined;
}

/** What a run needs to know of an endpoint. */
export interface Endpoint {
  readonly model: string;
  readonly isStub: boolean;
  /** Wall seconds per scenario second of a stub, as it says; null: not said. */
  readonly timeScale: number | null;
  /** It takes `stream_options`. */
  readonly askUsage: boolean;
  readonly notes: readonly string[];
}

/**
 * Looks at an endpoint with at most four small requests.
 * @throws UserError with exit code 1, in one line that names the URL and what to do
 */
export async function preflight(wire: Wire, options: PreflightOptions): Promise<Endpoint> {
  const reply = await modelsAt(wire, options);
  const listed = namesIn(reply);
  const model = chosenModel(listed, options);
  const isStub = listed?.includes(STUB_MODEL) ?? false;
  if (isStub) {
    return { model, isStub, timeScale: timeScaleIn(reply), askUsage: true, notes: [] };
  }
  const real = { model, isStub, timeScale: null };
  const first = await tryCompletion(wire, options, model, true);
  if (first.as === 'completed') return { ...real, askUsage: true, notes: [] };
  if (!refusesStreamOptions(first)) throw preflightError(first, options);
  const second = await tryCompletion(wire, options, model, false);
  if (second.as !== 'completed') throw preflightError(second, options);
  const note = 'the endpoint refuses stream_options: token counts are estimated from the stream';
  return { ...real, askUsage: false, notes: [note] };
}

/** @throws UserError where nobody answers, or the key is refused */
async function modelsAt(wire: Wire, { urls, apiKey, timeoutMs }: PreflightOptions): Promise<Reply> {
  const reply = await askPath(
    wire,
    urls.modelsPath,
    commonHeaders(apiKey),
    Math.min(MODELS_TIMEOUT_MS, timeoutMs ?? TIMEOUT_MS),
  );
  if ('failure' in reply) throw unreachable(reply, urls);
  if (reply.status === 401 || reply.status === 403) throw keyRefused(reply.status, urls, apiKey);
  return reply;
}

/** Ours says how fast its clock runs; so does our gate before it, which hands the list on. */
function timeScaleIn({ headers }: Reply): number | null {
  const said = headers['x-loadline-time-scale'];
  const scale = typeof said === 'string' ? Number(said) : Number.NaN;
  return Number.isFinite(scale) && scale > 0 ? scale : null;
}

/** undefined: it does not list its models, which is no fault. */
function namesIn(reply: Reply): string[] | undefined {
  if (reply.status !== 200) return undefined;
  const data = (jsonOf(reply.text) as { data?: unknown } | null | undefined)?.data;
  if (!Array.isArray(data)) return undefined;
  return data.map((each: unknown) => String((each as { id?: unknown } | null)?.id ?? ''));
}

function chosenModel(
  listed: readonly string[] | undefined,
  { model, urls, apiKey }: PreflightOptions,
) {
  if (listed?.includes(STUB_MODEL)) return model ?? STUB_MODEL;
  if (model !== undefined) return model;
  const [only] = listed ?? [];
  if (only !== undefined && listed?.length === 1) return only;
  const names =
    listed === undefined ? '' : `; ${urls.origin} has ${told(shortList(listed), apiKey)}`;
  throw new UserError(`--model: expected the name of a model (or MC_MODEL), got none${names}`);
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

type Tried = Ending & { readonly status: number; readonly page: string | undefined };

async function tryCompletion(
  wire: Wire,
  { urls, apiKey, timeoutMs = TIMEOUT_MS }: PreflightOptions,
  model: string,
  askUsage: boolean,
): Promise<Tried> {
  const body = JSON.stringify({
    model,
    messages: [{ role: 'user', content: 'Say yes.' }],
    max_tokens: 1,
    stream: true,
    ...(askUsage ? { stream_options: { include_usage: true } } : {}),
  });
  const headers = commonHeaders(apiKey);
  const request = { method: 'POST', path: urls.completionsPath, headers, body } as const;
  return endingOf(await ask(wire, request, timeoutMs), urls, apiKey);
}

function endingOf(reply: Reply | NoReply, urls: EndpointUrls, apiKey: string | undefined): Tried {
  if ('failure' in reply) throw unreachable(reply, urls);
  const answer = new Answer(false, apiKey);
  answer.head(reply.status, reply.headers);
  answer.chunk(Buffer.from(reply.text));
  return { ...answer.end(Date.now()), status: reply.status, page: answer.page };
}

function refusesStreamOptions(tried: Tried): boolean {
  if (tried.as === 'completed' || (tried.status !== 400 && tried.status !== 422)) return false;
  return /stream_options|extra (inputs|fields)|not permitted|unknown (field|parameter)/i.test(
    tried.text,
  );
}

/** One line for each way in which an endpoint is not what was expected. */
export function preflightError(tried: Tried, options: PreflightOptions): UserError {
  const { urls, apiKey } = options;
  const { status, page } = tried;
  const text = tried.as === 'completed' ? '' : tried.text;
  if (status === 401 || status === 403) return keyRefused(status, urls, apiKey);
  if (status === 404) return notFound(tried.page === undefined ? text : '', options);
  // The text of an answer that is no completion begins with its status.
  const own = tried.as === 'failed' && tried.code === 'not_a_completion';
  const words = [...(own ? [] : [String(status)]), ...(text === '' ? [] : [text])].join(', ');
  const got = page === undefined ? words : `a web page (${status}): ${page}`;
  return new UserError(`${urls.shown}: expected a completion, got ${got}`, 1);
}

/** The model or the path: the body tells which. */
function notFound(text: string, { urls, model }: PreflightOptions): UserError {
  if (/model/i.test(text)) {
    return new UserError(
      `${urls.shown}: expected the model ${model ?? ''} to be there, got 404, ${text}`,
      1,
    );
  }
  return new UserError(
    `${urls.shown}: expected chat completions there, got 404: is the path of --endpoint right?`,
    1,
  );
}

function keyRefused(status: number, urls: EndpointUrls, apiKey: string | undefined): UserError {
  const advice =
    apiKey === undefined ? 'set OPENAI_API_KEY or MC_API_KEY' : 'is the API key right?';
  return new UserError(`${urls.shown}: expected to be let in, got ${status}: ${advice}`, 1);
}

function unreachable({ failure, message }: NoReply, urls: EndpointUrls): UserError {
  const advice = /self.signed|certificate/i.test(message)
    ? ' (--ca FILE trusts it, --insecure any)'
    : '';
  const got = failure === 'timeout' ? message : `${failure}: ${message}`;
  return new UserError(`${urls.shown}: expected an answer, got ${got}${advice}`, 1);
}
