import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { ClientConfig, Effect, Input } from '../../src/client/types.ts';
import { checkClient } from '../../src/ledger/client-laws.ts';
import type { ClientLine, WireFact } from '../../src/ledger/lines.ts';

const S = 1_000_000;
const CONFIG: ClientConfig = {
  seed: 7,
  classes: {
    small: {
      retry: {
        ...{ max: 1, baseUs: S, capUs: 10 * S, jitter: 'full', budget: null },
        ...{ honourRetryAfter: true, onRefusal: true, onFailure: true },
      },
      patience: { type: 'fixed', us: 20 * S },
      timeoutUs: null,
    },
  },
};
const demand = { serviceUs: S, inTokens: 4, outTokens: 2, holdUs: 0 };
const ARRIVALS = [0, 1, 2, 3, 4].map((seq) => ({
  ...{ seq, atUs: seq * S, class: 'small', keySeq: seq },
  demand: seq === 3 ? { ...demand, holdUs: 2 * S } : demand,
}));

/** A run as the live engine writes it: what the machine hears and says, what the wire did. */
function recorded(): ClientLine[] {
  const client = createClient(CONFIG);
  const lines: ClientLine[] = [];
  const hear = (t: number, input: Input): void => {
    const effects: Effect[] = client.apply(input, t);
    lines.push({ t, in: input }, ...effects.map((out) => ({ t, out })));
  };
  const wire = (t: number, seq: number, event: WireFact['event'], more: Partial<WireFact> = {}) =>
    lines.push({ t, wire: { seq, attempt: more.attempt ?? 0, event, ...more } });
  for (const { seq, atUs, class: name, keySeq, demand: of } of ARRIVALS) {
    hear(atUs + 10, { type: 'arrive', seq, class: name, keySeq, holdUs: of.holdUs });
    wire(atUs + 20, seq, 'sent');
  }
  const head = (t: number, seq: number) => {
    wire(t, seq, 'firstByte');
    hear(t, { type: 'answered', seq });
  };
  head(5 * S, 0);
  wire(5 * S + 1, 0, 'firstToken');
  wire(5 * S + 2, 0, 'firstContent');
  wire(5 * S + 9, 0, 'end', { status: 200, outTokens: 3 });
  hear(5 * S + 9, { type: 'completed', seq: 0 });
  wire(6 * S, 1, 'firstByte');
  wire(6 * S, 1, 'end', { status: 429, code: 'max_wait', text: 'busy' });
  hear(6 * S, { type: 'refused', seq: 1, as: 'expired', retryAfterUs: 2 * S, mayRetry: true });
  head(7 * S, 2);
  wire(7 * S + 5, 2, 'end', { status: 200, code: 'max_hold', text: 'killed' });
  hear(7 * S + 5, { type: 'failed', seq: 2, as: 'killed', mayRetry: false });
  head(8 * S, 3);
  hear(10 * S, { type: 'tick' });
  wire(10 * S, 3, 'end', { status: 200 });
  wire(10 * S, 1, 'sent', { attempt: 1 });
  hear(11 * S, { type: 'stop' });
  wire(11 * S, 1, 'end', { attempt: 1 });
  wire(11 * S, 4, 'end');
  lines.push({ t: 11 * S, end: { interrupted: false, eventLoopP99Ms: 1 } });
  return lines;
}

async function found(lines: readonly ClientLine[], whole = true): Promise<string[]> {
  const numbered = lines.map((line, i) => ({ number: i + 2, line }));
  const violations = await checkClient(CONFIG, numbered, ARRIVALS, { whole });
  return violations.map(({ evidence }) => evidence);
}

const LINES = recorded();
const place = (line: ClientLine) => JSON.stringify(line);

/** A line with one of its words or numbers changed, in every way. */
function* edits(line: ClientLine): Generator<ClientLine> {
  const text = JSON.stringify(line);
  for (const match of text.matchAll(/:(\d+)|:"(\w+)"|:(true|false)/g)) {
    const [whole, number, word, truth] = match;
    const changed =
      number === undefined
        ? word === undefined
          ? `:${truth !== 'true'}`
          : `:"${word === 'completed' ? 'failed' : 'completed'}"`
        : `:${Number(number) + 3 * S}`;
    yield JSON.parse(
      text.slice(0, match.index) + changed + text.slice(match.index + whole.length),
    ) as ClientLine;
  }
}

/** What no machine can say again; the seal of the file speaks for it. */
const UNFOLDED = /"(text|outTokens|mayRetry|status)"/;

it('a ledger as it was written is right, a cut one too where the run was cut', async () => {
  expect(await found(LINES)).toEqual([]);
  for (let n = 1; n < LINES.length; n++) expect(await found(LINES.slice(0, n), false)).toEqual([]);
});

describe.each(LINES.map((line, i) => [place(line), i] as const))('%s', (_name, i) => {
  const line = LINES[i] as ClientLine;

  it('is missed where it was taken out', async () => {
    const isTick = 'in' in line && line.in.type === 'tick';
    const isLast = 'end' in line;
    // What feeds a figure, and nothing else, is missed by the figure.
    const feedsOnly = 'wire' in line && /firstContent|sent/.test(line.wire.event);
    if (isLast || feedsOnly) return;
    expect(isTick || (await found(LINES.toSpliced(i, 1))).length > 0).toBe(true);
  });

  it('is noticed where it stands twice', async () => {
    const isTick = 'in' in line && line.in.type === 'tick';
    if (isTick) return;
    expect(await found(LINES.toSpliced(i, 0, line))).not.toEqual([]);
  });

  it('is noticed where one thing in it was edited', async () => {
    for (const edited of edits(line)) {
      const [field] = differing(line, edited);
      if ('end' in line || UNFOLDED.test(`"${field}"`)) continue;
      const evidence = await found(LINES.with(i, edited));
      expect(evidence, `${place(edited)}`).not.toEqual([]);
    }
  });
});

function differing(a: unknown, b: unknown, name = ''): string[] {
  if (typeof a !== 'object' || a === null || b === null) return a === b ? [] : [name];
  return Object.entries(a).flatMap(([key, value]) =>
    differing(value, (b as Record<string, unknown>)[key], key),
  );
}

it('says what was recorded and what the machine says, with the line', async () => {
  const at = LINES.findIndex((line) => 'out' in line && line.out.type === 'settled');
  const { t } = LINES[at] as ClientLine;
  const out = { type: 'settled', atUs: t, seq: 0, outcome: 'completed', attempts: 9 } as const;
  const [evidence] = await found(LINES.with(at, { t, out }));
  expect(evidence).toMatch(/^client line \d+: recorded .*"attempts":9.*, replayed .*"attempts":1/);
});

it('notices an arrival that came early, in another class, or is of no schedule', async () => {
  const arrive = (change: object) => {
    const line = LINES.find((each) => 'in' in each && each.in.type === 'arrive') as ClientLine;
    const input = { ...(line as { in: Input }).in, ...change } as Input;
    return found(LINES.with(LINES.indexOf(line), { t: line.t, in: input }));
  };
  expect((await arrive({ keySeq: 99 }))[0]).toContain('differs from schedule');
  expect((await arrive({ seq: 77 }))[0]).toContain('arrival 77 is not in the schedule');
});
