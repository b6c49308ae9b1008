/** What the words and numbers of a failing server mean. */
import type { FailureCode } from '../../ledger/rows.ts';

/** 529 is what Anthropic's servers say when overloaded. */
const OVERLOAD_STATUS: readonly number[] = [429, 503, 529];
const OVERLOAD_WORDS =
  /overload|server busy|maximum pending requests|too many requests|rate.?limit/i;

interface ErrorText {
  readonly code: string;
  readonly message: string;
}

/** A status of 300 or more. An overload is what says so, whatever its number (ollama says 500). */
export function codeOfStatus(status: number, text: string): FailureCode {
  if (OVERLOAD_STATUS.includes(status) || OVERLOAD_WORDS.test(text)) return 'overload';
  return 'status';
}

/** An error inside an answer of status 200. */
export function codeOfError({ code, message }: ErrorText): FailureCode {
  if (code === 'preempted') return 'preempted';
  const isOverload =
    OVERLOAD_STATUS.includes(Number(code)) || OVERLOAD_WORDS.test(`${code} ${message}`);
  return isOverload ? 'overload' : 'in_stream';
}

/**
 * The account has nothing left, which no waiting mends. The same words are also used for a limit
 * of concurrency, which it does; the exact code tells them apart.
 */
export function isQuotaSpent(error: ErrorText | undefined): boolean {
  return error?.code === 'insufficient_quota';
}
