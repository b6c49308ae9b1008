import { describe, expect, it } from 'vitest';
import { latenessLimitMs } from '../../../src/engine/k6/plan.ts';
import { decodeDemand } from '../../../src/model/demand-header.ts';
import { healthOf } from '../../../src/result/health.ts';
import type { Result } from '../../../src/result/types.ts';
import { parseScenario } from '../../../src/scenario/schema.ts';
import { runK6 } from '../../support/k6/stand-in.ts';
import { shippedScenario } from '../../support/simulated.ts';
import { completion, made, replaying, seqOf, simulatedRequests } from './fixtures.ts';
import { readK6Facts, runUnderStandIn } from './run.ts';

const FIXED = { status: 200, waitingMs: 50, body: completion(3) };

function steady(count: number, ratePerS: number) {
  return parseScenario({
    name: 'steady',
    durationS: count / ratePerS,
    sloS: 10,
    arrivals: { process: 'at', atS: Array.from({ length: count }, (_, i) => i / ratePerS) },
  });
}

describe('the script in k6', () => {
  it('sends each arrival when it is due and never before', async () => {
    const { bundle, schedule } = await made(await shippedScenario('smoke'));
    const { facts } = runUnderStandIn(bundle, { server: () => FIXED });
    expect(facts.size).toBe(schedule.arrivals.length);
    for (const { seq, atUs } of schedule.arrivals) {
      const late = (facts.get(seq)?.sentUs ?? -1) - atUs;
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThanOrEqual(2);
    }
  });

  it('loses none of 10 000 arrivals with too few VUs, and shows how late they were', async () => {
    const { bundle } = await made(steady(10_000, 1000), { vus: 20 });
    const run = runK6(bundle.script, { server: () => FIXED });
    const facts = readK6Facts(run);
    expect([...facts.keys()].sort((a, b) => a - b)).toEqual(
      Array.from({ length: 10_000 }, (_, i) => i),
    );
    // 20 VUs of 50 ms each send 400/s: the last of 10 s of arrivals at 1000/s goes out 15 s late.
    const last = facts.get(9_999);
    expect((last?.sentUs ?? 0) / 1e6).toBeCloseTo(25, 0);
    const result = resultIn(run.files);
    expect(result.outcomes.completed).toBe(10_000);
    expect(result.health.status).toBe('generator-limited');
    expect(result.health.latenessMs?.max).toBeCloseTo((last?.sentUs ?? 0) / 1e3 - 9_999, 0);
    expect(run.exitCode).toBe(99);
  }, 60_000);

  it('plays each arrival once on four instances that start apart', async () => {
    const scenario = await shippedScenario('rush');
    const { bundle, schedule } = await made(scenario, { instances: 4 });
    const epoch = Date.UTC(2026, 0, 1) + 60_000;
    const seen: number[] = [];
    for (let index = 0; index < 4; index++) {
      const { facts } = runUnderStandIn(bundle, {
        server: () => FIXED,
        env: { LOADLINE_EPOCH_MS: String(epoch) },
        segment: { index, of: 4 },
        startMs: epoch - 30_000 + index * 777.7,
      });
      seen.push(...facts.keys());
      for (const { seq, sentUs } of facts.values()) {
        expect(sentUs - (schedule.arrivals[seq]?.atUs ?? 0)).toBeLessThanOrEqual(2);
      }
    }
    expect(seen.length).toBe(schedule.arrivals.length);
    expect([...seen].sort((a, b) => a - b)).toEqual(schedule.arrivals.map(({ seq }) => seq));
  });

  it('will not start after the epoch has passed', async () => {
    const { bundle } = await made(await shippedScenario('smoke'));
    const env = { LOADLINE_EPOCH_MS: String(Date.UTC(2025, 0, 1)) };
    expect(runK6(bundle.script, { server: () => FIXED, env }).exitCode).toBe(108);
  });

  it('reads a schedule that lies beside it', async () => {
    const { bundle, schedule } = await made(await shippedScenario('smoke'), { largestInside: 0 });
    const { file, text } = bundle.schedule ?? { file: '', text: '' };
    const { facts } = runUnderStandIn(bundle, { server: () => FIXED, files: { [file]: text } });
    expect(facts.size).toBe(schedule.arrivals.length);
  });

  it('tells the stub the demand, and the endpoint the key from the environment', async () => {
    const { bundle, schedule } = await made(await shippedScenario('rush'));
    const env = { OPENAI_API_KEY: 'sk-test', ENDPOINT: 'http://10.0.0.1:9/v1/' };
    runK6(bundle.script, {
      env,
      server: (request) => {
        const arrival = schedule.arrivals[seqOf(request)];
        const note = decodeDemand(request.headers['x-loadline-demand'] ?? '');
        expect(note).toEqual({ demand: arrival?.demand, keySeq: arrival?.keySeq, attempt: 0 });
        expect(request.headers['Authorization']).toBe('Bearer sk-test');
        expect(request.url).toBe('http://10.0.0.1:9/v1/chat/completions');
        return FIXED;
      },
    });
  });

  it('counts what is in flight at the end of the drain as censored', async () => {
    const scenario = { ...steady(10, 10), drainS: 1 };
    const { bundle } = await made(scenario);
    const run = runK6(bundle.script, { server: () => ({ ...FIXED, waitingMs: 60_000 }) });
    const { outcomes } = resultIn(run.files);
    expect(outcomes).toMatchObject({ offered: 10, completed: 0, censored: 10, unsent: 0 });
  });

  it('ends with 99 where the SLO is missed', async () => {
    const { bundle } = await made(steady(20, 10));
    const slow = { ...FIXED, waitingMs: 10_001 };
    expect(runK6(bundle.script, { server: () => slow }).exitCode).toBe(99);
    expect(runK6(bundle.script, { server: () => FIXED }).exitCode).toBe(0);
  });

  it('writes the figures of the simulation whose answers it got', async () => {
    const scenario = await shippedScenario('rush');
    const { bundle } = await made(scenario);
    const rows = simulatedRequests(scenario);
    const result = resultIn(runK6(bundle.script, { server: replaying(rows) }).files);
    const of = (outcome: string) => [...rows.values()].filter((row) => row.outcome === outcome);
    expect(result.outcomes.completed).toBe(of('completed').length);
    expect(result.outcomes.expired).toBe(of('expired').length);
    expect(result.outcomes.sloBreached).toBe(0);
    expect(result.rates.rejection).toBeCloseTo(of('expired').length / rows.size, 9);
    const { small, large } = result.byClass;
    expect(Number(small?.outcomes.offered) + Number(large?.outcomes.offered)).toBe(rows.size);
    expect(result.health.status).toBe('ok');
  });

  it('judges lateness as a live run does', () => {
    for (const sloS of [0.5, 60]) {
      const limit = latenessLimitMs(sloS);
      const asked = {
        count: 200,
        durationS: 200,
        sloS,
        timeScale: 1,
        unsent: 0,
        interrupted: false,
      };
      const intendedUs = Array.from({ length: 200 }, (_, i) => i * 1e6);
      const paced = (lateMs: number) =>
        healthOf(
          {
            intendedUs,
            sentUs: intendedUs.map((us) => us + lateMs * 1e3),
            latenessUs: intendedUs.map(() => lateMs * 1e3),
            eventLoopP99Ms: null,
          },
          asked,
        ).status;
      expect([paced(limit - 1), paced(limit + 1)]).toEqual(['ok', 'generator-limited']);
    }
  });
});

function resultIn(files: Readonly<Record<string, string>>): Result {
  const name = Object.keys(files).find((each) => each.endsWith('.result.json')) ?? '';
  return JSON.parse(files[name] ?? 'null') as Result;
}
