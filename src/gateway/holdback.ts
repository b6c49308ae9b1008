/**
 * Keeps back what a restart could send again. Where a class is replayed, its caller gets an event
 * stream only up to the last checkpoint of the model; what lies beyond waits for the next
 * checkpoint or for the end, so that no token is ever seen twice. Answers that are no event stream
 * have no checkpoints: they are kept until they are whole.
 */
import { isToken } from './sse.ts';

const BLANK_LINE = /\r?\n\r?\n/g;

export interface HoldbackOptions {
  readonly eventStream: boolean;
  /** Output tokens between checkpoints that a restart can resume from; 0: none, keep everything. */
  readonly checkpointTokens: number;
  /** More than this is not kept: the request can then no longer be replayed. */
  readonly limitBytes: number;
}

export class Holdback {
  private held: Buffer[] = [];
  private heldBytes = 0;
  private partial = '';
  /** Tokens of the answer up to here, those of earlier runs included. */
  private tokens = 0;
  /** How much of `held` the last checkpoint covers, and the tokens up to there. */
  private safe = { chunks: 0, tokens: 0 };
  private delivered = 0;
  /** Something was let go that no checkpoint covers. */
  spent = false;

  constructor(private readonly options: HoldbackOptions) {}

  /** Takes what has come and gives what may go on. */
  push(chunk: Buffer): Buffer | undefined {
    if (this.options.eventStream) this.split(chunk);
    else this.keep(chunk);
    if (this.heldBytes + this.partial.length > this.options.limitBytes) {
      this.spent = true;
      return this.finish();
    }
    return this.release(this.safe.chunks, this.safe.tokens);
  }

  /** The answer is whole: everything that is left. */
  finish(): Buffer | undefined {
    if (this.partial !== '') this.keep(Buffer.from(this.partial, 'latin1'));
    this.partial = '';
    return this.release(this.held.length, this.tokens);
  }

  /** A new run begins after this many tokens; what was kept is thrown away. */
  restart(resumeTokens: number): void {
    this.held = [];
    this.heldBytes = 0;
    this.partial = '';
    this.safe = { chunks: 0, tokens: 0 };
    this.tokens = resumeTokens;
  }

  /** Events are told apart as latin1, which keeps every byte as it is. */
  private split(chunk: Buffer): void {
    const text = this.partial + chunk.toString('latin1');
    let from = 0;
    for (const match of text.matchAll(BLANK_LINE)) {
      const to = match.index + match[0].length;
      this.event(text.slice(from, to));
      from = to;
    }
    this.partial = text.slice(from);
  }

  private event(text: string): void {
    const token = carriesTokens(text);
    if (token) this.tokens++;
    // An earlier run has delivered this already.
    if (token ? this.tokens <= this.delivered : this.tokens < this.delivered) return;
    if (!token && this.delivered > 0 && isOpening(text)) return;
    this.keep(Buffer.from(text, 'latin1'));
    const { checkpointTokens } = this.options;
    if (token && checkpointTokens > 0 && this.tokens % checkpointTokens === 0) {
      this.safe = { chunks: this.held.length, tokens: this.tokens };
    }
  }

  private keep(bytes: Buffer): void {
    this.held.push(bytes);
    this.heldBytes += bytes.length;
  }

  private release(chunks: number, tokens: number): Buffer | undefined {
    if (chunks === 0) return undefined;
    const out = Buffer.concat(this.held.splice(0, chunks));
    this.heldBytes -= out.length;
    this.safe = { chunks: 0, tokens: 0 };
    this.delivered = tokens;
    return out;
  }
}

/** The chunk that only names the role, which opens each run. */
function isOpening(event: string): boolean {
  return event.includes('"role":"assistant"');
}

function carriesTokens(event: string): boolean {
  return event.startsWith('data:') && isToken(event.slice('data:'.length).trim());
}
