/** A spot host is taken back, with notice and without (E7): over real processes and sockets. */

import { request } from 'undici';
import { afterAll, expect, it } from 'vitest';
import { field } from '../../src/drills/lease-hold/operator.ts';
import { type Told, tell } from '../../src/drills/preempt/caller.ts';
import { holdsWithin, Rig } from '../../src/drills/preempt/rig.ts';
import { parseScenario } from '../../src/scenario/schema.ts';
import { scratch } from './program.ts';

const { path, remove } = scratch();
afterAll(remove);

const NOTICE_S = 4;
const LIMIT_MS = 20_000;
/** Of .05 s each: one ends within the notice, one does not. */
const SHORT = 30;
const LONG = 400;

function rigOf(name: string) {
  return Rig.start({
    folder: path(name),
    scenario: parseScenario({
      ...{ name: 'spot', durationS: 60, sloS: 60, arrivals: { ratePerS: 1 } },
      classes: { batch: { kind: 'batch', inTokens: 10, outTokens: LONG, maxTokens: LONG } },
      gate: { slots: 8 },
      model: {
        service: { tokens: { prefillPerS: 1e6, gapS: 0.05 } },
        ...{ preempts: { type: 'spot', atS: [], noticeS: NOTICE_S }, preemptSignal: 'reset' },
      },
    }),
  });
}

const leasesAre = (rig: Rig, count: number) =>
  holdsWithin(LIMIT_MS, async () => (await rig.operator.metric('loadline_leases')) === count);

/** Asks for an answer in one piece: nothing of it has begun when the host goes. */
async function whole(rig: Rig) {
  const answer = await request(`${rig.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ model: 'loadline-stub', max_tokens: LONG, stream: false },
      messages: [{ role: 'user', content: 'hello' }],
    }),
  });
  await answer.body.text();
  return { status: answer.statusCode, retryAfter: answer.headers['retry-after'] };
}

async function isReady(rig: Rig): Promise<boolean> {
  const { status, body } = await rig.operator.get('/readyz');
  return status === 200 && field(body, 'status') !== 'upstream_down';
}

it('with notice: nothing new goes to it, what can end ends, the rest is told', async () => {
  const rig = await rigOf('notice');
  try {
    const short = tell(rig.url, 0, SHORT);
    const long = tell(rig.url, 1, LONG);
    const unstarted = whole(rig);
    expect(await leasesAre(rig, 3)).toBe(true);
    process.kill(rig.stub.pid, 'SIGTERM');
    const refused: Told[] = [];
    const isRefused = async () => {
      refused.push(await tell(rig.url, 10 + refused.length, 1));
      return refused.at(-1)?.status === 503;
    };
    expect(await holdsWithin(LIMIT_MS, isRefused)).toBe(true);
    expect(refused.at(-1)?.reason).toBe('upstream_down');
    expect(await isReady(rig)).toBe(false);
    // The host is still there: what was in flight goes on.
    expect(await rig.operator.metric('loadline_leases')).toBeGreaterThan(0);
    expect(await short).toMatchObject({ how: 'done', tokens: SHORT });
    expect(await long).toMatchObject({ status: 200, how: 'error in stream' });
    expect((await long).tokens).toBeGreaterThan(SHORT);
    expect(await unstarted).toEqual({ status: 503, retryAfter: '1' });
    expect(await leasesAre(rig, 0)).toBe(true);
    await rig.replaceStub();
    expect(await holdsWithin(LIMIT_MS, () => isReady(rig))).toBe(true);
    expect(await tell(rig.url, 99, 1)).toMatchObject({ how: 'done' });
  } finally {
    await rig.stop();
  }
}, 90_000);

it('without notice: every request is told all the same, and no slot is lost', async () => {
  const rig = await rigOf('no-notice');
  try {
    const streams = [0, 1, 2].map((seq) => tell(rig.url, seq, LONG));
    const unstarted = whole(rig);
    expect(await leasesAre(rig, 4)).toBe(true);
    rig.killStub();
    for (const { status, how } of await Promise.all(streams)) {
      expect(how).toBe(status === 200 ? 'error in stream' : 'refused');
    }
    expect(await unstarted).toEqual({ status: 503, retryAfter: '1' });
    expect(await leasesAre(rig, 0)).toBe(true);
    expect(await tell(rig.url, 9, 1)).toMatchObject({ status: 503, reason: 'upstream_down' });
  } finally {
    await rig.stop();
  }
}, 90_000);
