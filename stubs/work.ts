import type { DemandNote } from '../src/model/demand-header.ts';
import { decodeDemand } from '../src/model/demand-header.ts';
import { drawsAt, streamKey } from '../src/random.ts';
import { drawUs, tokenServiceS, tokensOf } from '../src/scenario/distribution.ts';
import type { ClassSpec, Scenario } from '../src/scenario/types.ts';
import { usFromS } from '../src/units.ts';

/** A chat request as far as the stub reads it. */
export interface ChatRequest {
  readonly model: string;
  /** The text of all messages. */
  readonly prompt: string;
  /** The caller's limit on output tokens. */
  readonly limit: number | null;
  readonly stream: boolean;
  readonly includeUsage: boolean;
}

/** The work of one request. */
export interface Work extends DemandNote {
  readonly class: string;
  /** Ended by the caller's own limit. */
  readonly isCut: boolean;
}

/**
 * What a request asks of the model: as our generator says, or, from anybody else, drawn by the
 * number of the request within its class.
 */
export class WorkSource {
  private readonly ordinals = new Map<string, number>();

  work(
    scenario: Scenario,
    chat: ChatRequest,
    className: string | undefined,
    header: string | undefined,
  ): Work {
    const [first = ''] = Object.keys(scenario.classes);
    const known = className !== undefined && Object.hasOwn(scenario.classes, className);
    const name = known ? className : first;
    const note = header === undefined ? undefined : decodeDemand(header);
    if (note !== undefined) return { ...note, class: name, isCut: isCut(note, chat) };
    return this.drawn(scenario, chat, name);
  }

  /** Starts the numbers again. */
  restart(): void {
    this.ordinals.clear();
  }

  private drawn(scenario: Scenario, chat: ChatRequest, name: string): Work {
    const keySeq = this.ordinals.get(name) ?? 0;
    this.ordinals.set(name, keySeq + 1);
    const spec = scenario.classes[name] as ClassSpec;
    const { inTokens, outTokens: wanted } = tokensOf({ ...spec, ...chat, inTokens: null });
    const outTokens = Math.min(wanted, chat.limit ?? wanted);
    const service = spec.service ?? scenario.model.service;
    const serviceUs =
      'tokens' in service
        ? usFromS(tokenServiceS(service, { inTokens, outTokens }))
        : drawUs(service, drawsAt(streamKey(scenario.seed, 'service', name), keySeq));
    const note = { demand: { serviceUs, inTokens, outTokens, holdUs: 0 }, keySeq, attempt: 0 };
    return { ...note, class: name, isCut: isCut(note, chat) };
  }
}

function isCut({ demand }: DemandNote, chat: ChatRequest): boolean {
  return chat.limit !== null && demand.outTokens >= chat.limit;
}
