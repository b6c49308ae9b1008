import type { RequestRow } from '../ledger/rows.ts';

/** What went wrong in the words of whoever said it; what differs from one to the next is left out. */
export interface Message {
  readonly code: string;
  readonly text: string;
  readonly n: number;
}

const MOST_SHOWN = 10;
/** Texts that differ in what no rule strips: the rest count together. */
const MOST_KEPT = 1000;
const LEFT_OUT = '…';

/** Groups messages that are the same but for identifiers and numbers. */
export class Messages {
  private readonly counts = new Map<string, { code: string; text: string; n: number }>();

  /** A request that ended badly. A refusal of our own gate is told by its code alone. */
  take({ outcome, code, text }: RequestRow): void {
    if (text === undefined || text === '' || outcome === 'completed') return;
    if ((outcome === 'rejected' || outcome === 'expired') && code !== 'overload') return;
    const shape = messageShape(text);
    this.count(code ?? outcome, this.counts.size < MOST_KEPT ? shape : LEFT_OUT);
  }

  private count(code: string, text: string): void {
    const key = `${code} ${text}`;
    const known = this.counts.get(key);
    if (known !== undefined) known.n++;
    else this.counts.set(key, { code, text, n: 1 });
  }

  /** The most frequent first. */
  rows(): Message[] {
    return [...this.counts.values()]
      .sort((a, b) => b.n - a.n || (a.text < b.text ? -1 : 1))
      .slice(0, MOST_SHOWN);
  }
}

/** In the order in which they are applied. */
const VARYING: readonly RegExp[] = [
  // A UUID.
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi,
  // What a name says is an identifier: `ref: x`, `request_id=x`, `Request ID x`.
  /(?<=\b(?:ref(?:erence)?|(?:request|trace|span|correlation|session|call)[ _-]?id|ray id|id)["']?[:=#]?[ ]?["']?)(?=[\w.-]*\d)[\w.-]{4,}/gi,
  // `req_011CSH…`: letters and digits mixed, longer than a model's short name.
  /\b(?=[\w-]*[a-z])(?=[\w-]*\d[\w-]*\d)[\w-]{12,}\b/gi,
  /\b0x[0-9a-f]+\b/gi,
  // `1.243` but no address, no version; `12345`.
  /(?<![\w.])\d+\.\d+(?![\d.])/g,
  /(?<![\w.])\d{4,}/g,
  // The port of an address.
  /(?<=[\w\]]:)\d{4,5}\b/g,
];

/** A message without what differs from one request to the next: its error's words, ids and long numbers left out. */
export function messageShape(text: string): string {
  const words = wordsOf(text);
  return VARYING.reduce((shape, varying) => shape.replace(varying, LEFT_OUT), words);
}

/** The message of a JSON error, however it was cut off; else the text itself. */
function wordsOf(text: string): string {
  const found = /"(?:message|detail)"\s*:\s*"((?:[^"\\]|\\.)*)/.exec(text)?.[1];
  const plain = found ?? /^\s*\{\s*"error"\s*:\s*"((?:[^"\\]|\\.)*)/.exec(text)?.[1] ?? text;
  return plain.replace(/\\["\\/]/g, (escaped) => escaped.slice(1)).trim();
}
