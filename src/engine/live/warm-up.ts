import { Answer } from './answer.ts';
import { askPath } from './ask.ts';
import type { Wire } from './wire.ts';

/** Requests that get the code compiled; the first few hundred are milliseconds late. */
const ROUNDS = 6;
const FEWEST_CONNECTIONS = 32;
const MOST_CONNECTIONS = 256;
const READINGS_OF_SAMPLE = 300;

/** What an answer looks like, to have the code that reads it compiled. */
const SAMPLE = Buffer.from(
  'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}\n\n'.repeat(4) +
    'data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":3}}\n\ndata: [DONE]\n\n',
);

/**
 * Opens connections and warms the code, on a path that meets no admission and costs no compute.
 * @param connections to have open at the start of the run
 */
export async function warmUp(wire: Wire, path: string, connections: number): Promise<void> {
  const width = Math.min(MOST_CONNECTIONS, Math.max(FEWEST_CONNECTIONS, connections));
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(Array.from({ length: width }, () => askPath(wire, path)));
  }
  for (let i = 0; i < READINGS_OF_SAMPLE; i++) readSample();
}

function readSample(): void {
  const answer = new Answer(true);
  answer.head(200, { 'content-type': 'text/event-stream' });
  answer.chunk(SAMPLE);
  answer.end(0);
}

/** Readings of a remote clock; the quickest is believed. */
const READINGS = 7;

/**
 * The gate's clock minus ours, in microseconds of scenario time: what it says in the middle of the
 * quickest of several exchanges. 0 where it does not say.
 */
export async function clockOffsetUs(wire: Wire, nowUs: () => number): Promise<number> {
  let best = { spanUs: Number.POSITIVE_INFINITY, offsetUs: 0 };
  for (let i = 0; i < READINGS; i++) {
    const before = nowUs();
    const reply = await askPath(wire, '/admin/clock');
    const after = nowUs();
    const gateUs = 'failure' in reply ? undefined : gateTime(reply.text);
    if (gateUs === undefined || after - before >= best.spanUs) continue;
    best = { spanUs: after - before, offsetUs: Math.round(gateUs - (before + after) / 2) };
  }
  return best.offsetUs;
}

function gateTime(text: string): number | undefined {
  const found = /"nowUs":(-?\d+)/.exec(text);
  return found === null ? undefined : Number(found[1]);
}
