import type { WireFact } from '../../ledger/lines.ts';
import { Answer, type Ending } from './answer.ts';
import { keyIn } from './request.ts';
import type { Exchange, Wire, WireFailure, WireRequest } from './wire.ts';

/** What an attempt tells whoever sent it. After `ended` comes nothing more. */
export interface AttemptEvents {
  wire(fact: WireFact): void;
  /** The answer has begun. */
  answered(): void;
  ended(ending: Ending): void;
}

export interface AttemptOptions {
  readonly seq: number;
  readonly attempt: number;
  readonly request: WireRequest;
  /** A gate of ours answers. */
  readonly gated: boolean;
  /** The caller stops reading once its answer has begun. */
  readonly holds: boolean;
}

/** Between two short looks of a caller that holds: it must notice that it was thrown out. */
const LOOK_EVERY_MS = 250;

/** One try at one request, over one connection, or over a second one where the first was dead. */
export class Attempt {
  private readonly answer: Answer;
  private exchange: Exchange | undefined;
  private retried = false;
  private over = false;
  private hasFirstToken = false;
  private hasFirstContent = false;
  private look: NodeJS.Timeout | undefined;

  constructor(
    private readonly wire: Wire,
    private readonly options: AttemptOptions,
    private readonly events: AttemptEvents,
  ) {
    this.answer = new Answer(options.gated, keyIn(options.request));
  }

  send(): void {
    this.exchange = this.wire.send(this.options.request, {
      onSent: () => {
        if (!this.retried) this.say({ event: 'sent' });
      },
      onHead: (status, headers) => {
        this.answer.head(status, headers);
        this.say({ event: 'firstByte' });
        if (status < 300) this.events.answered();
      },
      onChunk: (chunk) => this.read(chunk),
      onEnd: () => this.end(this.answer.end(Date.now())),
      onFail: (failure) => this.fail(failure),
    });
  }

  private read(chunk: Buffer): void {
    this.answer.chunk(chunk);
    if (!this.hasFirstToken && this.answer.facts.tokens > 0) {
      this.hasFirstToken = true;
      this.say({ event: 'firstToken' });
      this.readContent();
      if (this.options.holds) this.hold();
    } else this.readContent();
  }

  /** What comes before it may be reasoning, which its caller does not see. */
  private readContent(): void {
    if (this.hasFirstContent || !this.answer.facts.content) return;
    this.hasFirstContent = true;
    this.say({ event: 'firstContent' });
  }

  /** Reads nothing but for a look now and then, as somebody who went for lunch would. */
  private hold(): void {
    this.say({ event: 'read' });
    this.exchange?.pause();
    this.look = setInterval(() => {
      this.exchange?.resume();
      setImmediate(() => this.exchange?.pause());
    }, LOOK_EVERY_MS);
  }

  private fail(failure: WireFailure): void {
    if (failure.untouched && !this.retried && !this.over) {
      this.retried = true;
      this.say({ event: 'transportRetry' });
      this.send();
      return;
    }
    this.end(this.answer.broken(failure));
  }

  /** The caller goes. */
  hangUp(): void {
    if (this.over) return;
    this.finish({});
    this.exchange?.abort();
  }

  private end(ending: Ending): void {
    if (this.over) return;
    this.finish(ending.as === 'completed' ? {} : { code: ending.code, text: ending.text });
    this.events.ended(ending);
  }

  private finish(why: Pick<WireFact, 'code' | 'text'>): void {
    this.over = true;
    clearInterval(this.look);
    const { status, facts } = this.answer;
    const outTokens = facts.outTokens ?? facts.tokens;
    this.say({
      event: 'end',
      ...(status === 0 ? {} : { status }),
      ...why,
      ...(facts.inTokens === undefined ? {} : { inTokens: facts.inTokens }),
      ...(outTokens === 0 ? {} : { outTokens }),
    });
  }

  private say(fact: Omit<WireFact, 'seq' | 'attempt'>): void {
    const { seq, attempt } = this.options;
    this.events.wire({ seq, attempt, ...fact });
  }
}
