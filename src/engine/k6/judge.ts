/**
 * What a response in k6 was: whole, refused, killed, or failed and why. The same rules as the live
 * engine's, on a body that k6 has read to its end. Runs in k6, so nothing here may need Node.
 */
import {
  codeOfError,
  codeOfStatus,
  gateFailure,
  isKill,
  isQuotaSpent,
} from '../../ledger/failure.ts';
import type { K6Outcome } from './metrics.ts';

export interface K6Response {
  /** 0: none came. */
  readonly status: number;
  /** k6's own number for what went wrong below HTTP. */
  readonly errorCode: number;
  /** By name, in any case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** A caller that leaves after a time has had what it came for when k6 ends the request. */
  readonly holds: boolean;
}

export interface Judgement {
  readonly outcome: K6Outcome;
  /** Empty where it went well. */
  readonly code: string;
  /** As the gate says them; -1: it did not. */
  readonly queueAgeUs: number;
  readonly waitUs: number;
  /** As the answer says them; -1: it did not. */
  readonly inTokens: number;
  readonly outTokens: number;
}

/** Numbers of k6's documentation of errors. */
const REQUEST_TIMEOUT = 1050;
const RESETS = [1201, 1220];

type Ending = Pick<Judgement, 'outcome' | 'code'>;
type Fields = Readonly<Record<string, unknown>>;

interface Answer {
  /** A completion that says why it ended, or the whole of one. */
  finished: boolean;
  aborted: boolean;
  isCompletion: boolean;
  error: { readonly code: string; readonly message: string } | undefined;
  inTokens: number;
  outTokens: number;
}

export function judge(response: K6Response): Judgement {
  const fields = lowerCased(response.headers);
  const answer = readAnswer(response.body);
  return {
    ...endingOf(response, fields, answer),
    queueAgeUs: microseconds(fields['x-loadline-queue-age-ms']),
    waitUs: microseconds(fields['x-loadline-wait-ms']),
    inTokens: answer.inTokens,
    outTokens: answer.outTokens,
  };
}

function endingOf(response: K6Response, fields: Record<string, string>, answer: Answer): Ending {
  if (response.status === 0) return ofNoAnswer(response);
  const decision = fields['x-loadline-decision'];
  const reason = fields['x-loadline-reason'] ?? '';
  if (response.status >= 300) {
    if (decision === 'reject') return { outcome: 'rejected', code: reason };
    if (decision === 'expire') return { outcome: 'expired', code: reason };
    return ofStatus(response, answer, decision !== undefined);
  }
  if (answer.error !== undefined) return ofError(answer.error, decision !== undefined);
  if (answer.aborted) return { outcome: 'failed', code: 'aborted' };
  if (!answer.isCompletion) return { outcome: 'failed', code: 'not_a_completion' };
  if (!answer.finished) return { outcome: 'failed', code: 'truncated' };
  return { outcome: 'completed', code: '' };
}

function ofNoAnswer({ errorCode, holds }: K6Response): Ending {
  if (errorCode === REQUEST_TIMEOUT) {
    return holds ? { outcome: 'completed', code: '' } : { outcome: 'failed', code: 'timeout' };
  }
  const code = RESETS.indexOf(errorCode) >= 0 ? 'reset' : 'connect';
  return { outcome: 'undecided', code };
}

function ofStatus({ status, body }: K6Response, { error }: Answer, gated: boolean): Ending {
  const own = gated && error !== undefined ? error.code : '';
  if (isKill(own)) return { outcome: 'killed', code: own };
  const named = gateFailure(own);
  if (named !== undefined) return { outcome: 'failed', code: named };
  const code = codeOfStatus(status, body.slice(0, 800));
  const turnedAway = code === 'overload' && !gated && !isQuotaSpent(error);
  return { outcome: turnedAway ? 'rejected' : 'failed', code };
}

/** An error that stands in a body of status 200. */
function ofError({ code, message }: { code: string; message: string }, gated: boolean): Ending {
  if (gated && isKill(code)) return { outcome: 'killed', code };
  const named = gated ? gateFailure(code) : undefined;
  if (named !== undefined) return { outcome: 'failed', code: named };
  return { outcome: 'failed', code: codeOfError({ code, message }) };
}

function readAnswer(body: string): Answer {
  const answer: Answer = {
    finished: false,
    aborted: false,
    isCompletion: false,
    error: undefined,
    inTokens: -1,
    outTokens: -1,
  };
  const value = parsed(body);
  if (value !== undefined) take(answer, value);
  else for (const line of body.split(/\r?\n/)) takeLine(answer, line);
  return answer;
}

/** Only the lines that say more than a token are parsed: a long stream has thousands of the others. */
function takeLine(answer: Answer, line: string): void {
  if (line.slice(0, 5) !== 'data:') return;
  if (line.indexOf('"choices"') >= 0) answer.isCompletion = true;
  if (!/"(usage|error|finish_reason)":\s*[^n\s]/.test(line)) return;
  const value = parsed(line.slice(5));
  if (value !== undefined) take(answer, value);
}

function take(answer: Answer, value: Fields): void {
  const { choices, usage, error } = value;
  if (error !== undefined && error !== null) answer.error = errorOf(error, value);
  if (isFields(usage)) {
    answer.inTokens = wholeOf(usage['prompt_tokens']);
    answer.outTokens = wholeOf(usage['completion_tokens']);
  }
  if (!Array.isArray(choices)) return;
  answer.isCompletion = true;
  for (const each of choices) {
    const reason = isFields(each) ? each['finish_reason'] : undefined;
    if (typeof reason === 'string' && reason !== '') answer.finished = true;
    if (reason === 'abort') answer.aborted = true;
    if (isFields(each) && isFields(each['message'])) answer.finished = true;
  }
}

function errorOf(error: unknown, { reason }: Fields): { code: string; message: string } {
  if (!isFields(error)) return { code: String(error), message: String(reason ?? '') };
  const code = error['code'] ?? error['type'] ?? 'error';
  return { code: String(code), message: String(error['message'] ?? '') };
}

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wholeOf(value: unknown): number {
  return typeof value === 'number' && value >= 0 ? value : -1;
}

function microseconds(ms: string | undefined): number {
  const value = Number(ms ?? '');
  return ms === undefined || Number.isNaN(value) ? -1 : Math.round(value * 1000);
}

/** k6 writes `X-Loadline-Reason`, whatever the server wrote. */
function lowerCased(headers: K6Response['headers']): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const name of Object.keys(headers)) fields[name.toLowerCase()] = headers[name] ?? '';
  return fields;
}
