import type { ClientConfig, Input } from '../client/types.ts';
import type { Numbered } from './codec.ts';
import { differenceText, type Violation, Violations } from './laws.ts';
import type { ClientLine } from './lines.ts';
import { clientReplay, type Difference } from './replay.ts';
import type { Scheduled } from './schedule-csv.ts';
import { WireLaws } from './wire-laws.ts';

/**
 * Laws 1, 5 and 6 on the ledger of a client: its inputs, folded through the client machine once
 * more, give every effect again; its arrivals are those of the schedule and none came early; and
 * what the wire did is what the machine was told of.
 * @param whole the run came to its end: every arrival must be there, and the effects of the last input
 */
export async function checkClient(
  config: ClientConfig,
  lines: AsyncIterable<Numbered<ClientLine>> | Iterable<Numbered<ClientLine>>,
  arrivals: readonly Scheduled[],
  { whole = false }: { whole?: boolean } = {},
): Promise<Violation[]> {
  const violations = new Violations();
  const laws = new ClientLaws(arrivals, violations);
  const replay = clientReplay(config);
  let found: Difference | null = null;
  for await (const { number, line } of lines) {
    laws.take(number, line);
    found ??= replay.take(number, line);
  }
  if (whole) found ??= replay.end();
  if (found !== null) violations.add(5, `client line ${found.line}: ${differenceText(found)}`);
  return violations.found;
}

class ClientLaws {
  private readonly wire: WireLaws;
  private lastUs = 0;
  private ended = false;

  constructor(
    private readonly arrivals: readonly Scheduled[],
    private readonly violations: Violations,
  ) {
    this.wire = new WireLaws((number, what) => violations.add(1, `client line ${number}: ${what}`));
  }

  take(number: number, line: ClientLine): void {
    this.inOrder(number, line.t);
    if ('in' in line) this.input(number, line.in, line.t);
    else if ('out' in line) this.wire.effect(line.out);
    else if ('wire' in line) this.wire.fact(number, line.wire);
    else this.end(number);
  }

  private end(number: number): void {
    this.ended = true;
    this.wire.over(number);
  }

  private inOrder(number: number, t: number): void {
    if (this.ended) this.violations.add(5, `client line ${number}: comes after the end`);
    if (t < this.lastUs) {
      this.violations.add(5, `client line ${number}: ${t} us, after one of ${this.lastUs} us`);
    }
    this.lastUs = Math.max(this.lastUs, t);
  }

  private input(number: number, input: Input, t: number): void {
    if (input.type === 'arrive') this.arrive(number, input, t);
    else this.wire.input(number, input);
  }

  private arrive(number: number, input: Extract<Input, { type: 'arrive' }>, t: number): void {
    const due = this.arrivals[input.seq];
    if (due === undefined) {
      this.violations.add(6, `client line ${number}: arrival ${input.seq} is not in the schedule`);
      return;
    }
    const { class: name, keySeq, demand, atUs } = due;
    const asDue = input.class === name && input.keySeq === keySeq && input.holdUs === demand.holdUs;
    if (!asDue) {
      this.violations.add(6, `client line ${number}: arrival ${input.seq} differs from schedule`);
    }
    if (t < atUs) {
      this.violations.add(6, `client line ${number}: arrival ${input.seq} came before ${atUs} us`);
    }
  }
}
