import { describe, expect, it } from 'vitest';
import { CODES } from '../../src/admission/types.ts';
import { call, gateOf, until, upstreamOf } from './support.ts';

const get = (port: number, path: string, headers = {}) =>
  call(port, { method: 'GET', path, body: '', headers });
const put = (port: number, patch: unknown) =>
  call(port, { method: 'PUT', path: '/admin/policy', body: JSON.stringify(patch) });

describe('what an operator may do', () => {
  it('reads and changes the policy in the seconds of the scenario', async () => {
    const upstream = await upstreamOf(() => {});
    const { port, gate } = await gateOf(upstream.url, { slots: 2, maxWaitS: 30 });
    expect(JSON.parse((await get(port, '/admin/policy')).body)).toMatchObject({
      slots: 2,
      maxWaitS: 30,
      ageRejectS: null,
      mode: 'enforce',
    });
    const changed = await put(port, { ageRejectS: 2.5, maxWaitS: null, mode: 'shadow' });
    expect(changed.status).toBe(200);
    expect(gate.machine.admission.view.policy).toMatchObject({
      ageRejectUs: 2_500_000,
      maxWaitUs: null,
      mode: 'shadow',
    });
    await put(port, { reject_interactive: false });
    expect(gate.machine.admission.view.policy.rejectInteractive).toBe(false);
  });

  it.each([
    [{ ageReject: 5 }, /ageReject: expected one of/],
    [{ maxWaitS: -1 }, /maxWaitS: expected seconds, 0 to 1e9, or null, got -1/],
    [{ ageRejectS: 1e300 }, /ageRejectS: expected seconds, 0 to 1e9, or null, got 1e\+300/],
    [{ retryAfterS: 1e10 }, /retryAfterS: expected seconds, 0 to 1e9, got 10000000000/],
    [{ maxHoldS: 0 }, /maxHoldS: expected seconds, more than 0 and at most 1e9, or null, got 0/],
    [{ slots: 1.5 }, /slots: expected a whole number, 1 or more, got 1.5/],
    [{ mode: 'off' }, /mode: expected enforce \| shadow/],
    [{ upstreamDown: true }, /upstreamDown: expected one of/],
    [[], /expected a JSON object/],
  ])('refuses %j and says why', async (patch, message) => {
    const upstream = await upstreamOf(() => {});
    const { port, gate } = await gateOf(upstream.url, { slots: 2 });
    const before = gate.machine.admission.view.policy;
    const answer = await put(port, patch);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body).error).toMatch(message);
    expect(gate.machine.admission.view.policy).toEqual(before);
  });

  it('sees leases and ends one by its id, or all of a client', async () => {
    const upstream = await upstreamOf((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[{"delta":{"content":"a"}}]}\n\n');
    });
    const { port } = await gateOf(upstream.url, { slots: 3 });
    const calls = ['ann', 'bob', 'bob'].map((client) =>
      call(port, { headers: { 'x-loadline-client': client } }),
    );
    const leases = async () => JSON.parse((await get(port, '/admin/leases')).body).leases;
    await until(async () => (await leases()).length === 3, 'three are leased');
    await until(
      async () => (await leases()).every((lease: { tokens: number }) => lease.tokens === 1),
      'each has a token',
    );
    const ann = (await leases()).find((lease: { client: string }) => lease.client === 'ann');
    expect(ann).toMatchObject({ class: 'task', kind: 'batch', slow_reader: false });
    const remove = (which: string) =>
      call(port, { method: 'DELETE', path: `/admin/leases/${which}`, body: '' });
    expect((await remove(String(ann.id))).status).toBe(200);
    expect(JSON.parse((await remove('bob')).body).killed).toHaveLength(2);
    expect((await remove('bob')).status).toBe(404);
    for (const answer of await Promise.all(calls)) {
      expect(answer.body).toContain('"code":"operator"');
      expect(answer.body).not.toContain('[DONE]');
    }
    expect(await leases()).toEqual([]);
  });

  it('drains: new work is refused with 503, what is inside ends, then it reports empty', async () => {
    let finish: (() => void) | undefined;
    const upstream = await upstreamOf((_, response) => {
      finish = () => response.end('ok');
    });
    const { port } = await gateOf(upstream.url, { slots: 1 });
    const inside = call(port);
    await until(() => finish !== undefined, 'one is upstream');
    const drained = call(port, { path: '/admin/drain' });
    await until(async () => (await get(port, '/readyz')).status === 503, 'it is not ready');
    const refused = await call(port);
    expect(refused.status).toBe(503);
    expect(JSON.parse(refused.body).error).toBe('draining');
    expect(JSON.parse((await get(port, '/admin/drain')).body)).toMatchObject({ empty: false });
    finish?.();
    expect((await inside).status).toBe(200);
    expect(JSON.parse((await drained).body)).toEqual({
      draining: true,
      leased: 0,
      queued: 0,
      empty: true,
    });
  });

  it('wants the token where one is set', async () => {
    const upstream = await upstreamOf(() => {});
    const { port } = await gateOf(upstream.url, { slots: 1 }, { adminToken: 'let-me-in' });
    expect((await get(port, '/admin/policy')).status).toBe(403);
    expect((await get(port, '/admin/policy', { authorization: 'Bearer let-me-in' })).status).toBe(
      200,
    );
    expect((await get(port, '/healthz')).status).toBe(200);
  });

  it('reads the gate’s clock, and says what the present moment supports', async () => {
    const upstream = await upstreamOf(() => {});
    const { port } = await gateOf(upstream.url, { slots: 1 }, { timeScale: 0.01 });
    const first = JSON.parse((await get(port, '/admin/clock')).body);
    const second = JSON.parse((await get(port, '/admin/clock')).body);
    expect(first.timeScale).toBe(0.01);
    expect(second.nowUs).toBeGreaterThan(first.nowUs);
    const { verdicts } = JSON.parse((await get(port, '/admin/verdicts')).body);
    expect(verdicts).toMatchObject([{ action: 'no-action', headline: 'CHANGE NOTHING.' }]);
    expect((await get(port, '/admin/nothing')).status).toBe(404);
  });
});

describe('metrics', () => {
  it('has every reason at 0 before anything happened (E1, E2)', async () => {
    const upstream = await upstreamOf(() => {});
    const { port } = await gateOf(upstream.url, { slots: 1 });
    const { body } = await get(port, '/metrics');
    for (const reason of CODES) {
      expect(body).toContain(`loadline_decisions_total{decision="reject",reason="${reason}"} 0`);
      expect(body).toContain(`loadline_decisions_total{decision="expire",reason="${reason}"} 0`);
    }
    expect(body).toContain('loadline_decisions_total{decision="admit",reason="none"} 0');
    expect(body).toContain('loadline_turnaround_seconds_bucket{le="60",class="task"} 0');
    expect(body).toContain('lease_hold_seconds{lease_class="interactive"} 0');
    expect(body).not.toMatch(/ nan$/im);
    for (const name of ['queue_age_seconds', 'retry_count', 'token_in', 'token_out']) {
      expect(body).toMatch(new RegExp(`^${name} 0$`, 'm'));
    }
    // Unknown is no series at all, not 0.
    expect(body).not.toMatch(/^cpu_busy_ratio /m);
  });

  it('counts and times what happens, and lets no caller make a label', async () => {
    const usage = '"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}';
    const upstream = await upstreamOf((_, response) => response.end(`{"choices":[],${usage}}`));
    const { port } = await gateOf(upstream.url, { slots: 1 });
    await call(port, {
      headers: { 'x-loadline-class': 'made-up', 'x-loadline-client': 'made-up' },
    });
    await call(port, { headers: { 'x-stainless-retry-count': '2' } });
    const { body } = await get(port, '/metrics');
    expect(body).toContain('loadline_decisions_total{decision="admit",reason="none"} 2');
    expect(body).toContain('loadline_requests_total{class="task",outcome="completed"} 2');
    expect(body).toContain('loadline_turnaround_seconds_count{class="task"} 2');
    expect(body).toMatch(/^retry_count 1$/m);
    expect(body).toMatch(/^token_in 10$/m);
    expect(body).toMatch(/^token_out 14$/m);
    expect(body).not.toContain('made-up');
  });

  it('takes the busy share from the upstream’s own compute', async () => {
    let seconds = 0;
    const upstream = await upstreamOf((_, response) => {
      seconds += 100;
      response.end(`# TYPE cpu_busy_seconds_total counter\ncpu_busy_seconds_total ${seconds}\n`);
    });
    const { port } = await gateOf(
      upstream.url,
      { slots: 4 },
      { metricsUrl: `${upstream.url}/metrics` },
    );
    await until(async () => /^cpu_busy_ratio /m.test((await get(port, '/metrics')).body), 'known');
    const ratio = Number(/^cpu_busy_ratio (\S+)$/m.exec((await get(port, '/metrics')).body)?.[1]);
    expect(ratio).toBeGreaterThan(25);
    expect(ratio).toBeLessThan(125);
  });
});
