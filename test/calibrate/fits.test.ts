import { describe, expect, it } from 'vitest';
import { calibrationOf, type Level } from '../../src/calibrate/calibration.ts';
import { concurrencyFit } from '../../src/calibrate/concurrency.ts';
import { incompleteGamma } from '../../src/calibrate/incomplete-gamma.ts';
import { kolmogorovP } from '../../src/calibrate/kolmogorov.ts';
import { namedFits } from '../../src/calibrate/named-fits.ts';
import { observedOf, type Sample } from '../../src/calibrate/sample.ts';
import { createModel } from '../../src/model/model.ts';
import { drawsAt, streamKey } from '../../src/random.ts';
import { drawUs, meanS, tokenServiceS, varianceS2 } from '../../src/scenario/distribution.ts';
import { modelConfig } from '../../src/scenario/machines.ts';
import { parseScenario } from '../../src/scenario/schema.ts';
import type { Distribution, TokenService } from '../../src/scenario/types.ts';

const TOKENS = { inTokens: 10, outTokens: 10 };

function drawn(distribution: Distribution, count: number): number[] {
  return Array.from({ length: count }, (_, i) => {
    return drawUs(distribution, drawsAt(streamKey(5, 'test'), i)) / 1e6;
  });
}

interface Server {
  readonly slots?: number;
  readonly slowdown?: { readonly perRequest: number; readonly from: number };
  readonly service: Distribution | TokenService;
}

/** A closed loop against the model of the simulator: no wire, no clock, no noise but the draws. */
function loop(connections: number, each: number, server: Server, firstDraw: number): Sample[] {
  const { slots = 0, slowdown = {} } = server;
  const model = createModel(
    modelConfig(
      parseScenario({ arrivals: { process: 'poisson', ratePerS: 1 }, model: { slots, slowdown } }),
    ),
  );
  const samples: Sample[] = [];
  const left = new Array<number>(connections).fill(each);
  const startUs = new Array<number>(connections).fill(0);
  const outs = new Array<number>(connections).fill(0);
  let draw = firstDraw;
  const start = (id: number, nowUs: number) => {
    const outTokens = [16, 64, 256][draw % 3] ?? 16;
    const inTokens = draw % 2 === 0 ? 20 : 200;
    const { service } = server;
    const serviceUs =
      'tokens' in service
        ? Math.round(tokenServiceS(service, { inTokens, outTokens }) * 1e6)
        : drawUs(service, drawsAt(streamKey(9, 'loop'), draw));
    outs[id] = inTokens * 1000 + outTokens;
    startUs[id] = nowUs;
    const demand = { serviceUs, inTokens, outTokens, holdUs: 0 };
    const at = { keySeq: draw++, attempt: 0, resumeTokens: 0 };
    return model.apply({ type: 'start', id, class: 'task', demand, ...at }, nowUs);
  };
  for (let id = 0; id < connections; id++) start(id, 0);
  for (let nowUs = model.nextWakeUs(); nowUs < Infinity; nowUs = model.nextWakeUs()) {
    for (const effect of model.apply({ type: 'tick' }, nowUs)) {
      if (effect.type !== 'finished') continue;
      const { id } = effect;
      const shape = outs[id] ?? 0;
      samples.push({
        ...{ connections, status: 200, startS: (startUs[id] ?? 0) / 1e6, endS: nowUs / 1e6 },
        ...{ inTokens: Math.floor(shape / 1000), outTokens: shape % 1000 },
      });
      left[id] = (left[id] ?? 0) - 1;
      if ((left[id] ?? 0) > 0) start(id, nowUs);
    }
  }
  return samples;
}

function measured(server: Server, each = 60): Level[] {
  return [1, 2, 4, 8, 16].map((connections, i) => {
    const samples = loop(connections, Math.max(each, 600 / connections), server, i * 10_007);
    return { connections, samples, errors: 0, retryAfterS: null };
  });
}

function within(share: number, got: number, expected: number): void {
  expect(Math.abs(got / expected - 1), `${got} for ${expected}`).toBeLessThan(share);
}

describe('the named fits', () => {
  it.each<[string, Distribution]>([
    ['fixed', { fixed: 2 }],
    ['uniform', { uniform: [5, 30] }],
    ['exponential', { exponential: 4 }],
    ['lognormal', { lognormal: { mean: 3, scv: 1.5 } }],
    ['gamma', { gamma: { mean: 3, scv: 0.25 } }],
  ])('know a %s sample, and its parameters within 5 %%', (name, distribution) => {
    const [best] = namedFits(drawn(distribution, 8000));
    expect(best?.name).toBe(name);
    expect(best?.p).toBeGreaterThan(0.01);
    within(0.05, meanS(best?.distribution ?? distribution, TOKENS), meanS(distribution, TOKENS));
    const variance = varianceS2(distribution);
    if (variance > 0) within(0.1, varianceS2(best?.distribution ?? distribution), variance);
  });

  it('fit nothing to a sample with two humps', () => {
    const two = { bimodal: { first: 1, second: 10, share: 0.5, scv: 0 } } as const;
    const values = drawn(two, 500).map((value, i) => value * (1 + (i % 7) / 100));
    expect(namedFits(values)[0]?.p).toBeLessThan(0.01);
  });
});

describe('the distribution functions', () => {
  it('agree with the closed forms', () => {
    for (const x of [0.1, 1, 3, 20]) {
      expect(incompleteGamma(1, x)).toBeCloseTo(1 - Math.exp(-x), 9);
      expect(incompleteGamma(3, x)).toBeCloseTo(1 - Math.exp(-x) * (1 + x + (x * x) / 2), 9);
    }
  });

  it('agree with the table of Kolmogorov', () => {
    expect(kolmogorovP(1.358 / Math.sqrt(1e6), 1e6)).toBeCloseTo(0.05, 3);
    expect(kolmogorovP(1.628 / Math.sqrt(1e6), 1e6)).toBeCloseTo(0.01, 3);
  });
});

describe('the calibration', () => {
  it('finds a slow-down and the service beneath it', () => {
    const slowdown = { perRequest: 0.15, from: 3 };
    const calibration = calibrationOf(measured({ service: { uniform: [5, 30] }, slowdown }), 0);
    const { model, n, because } = calibration ?? {};
    within(0.05, model?.slowdown.perRequest ?? 0, 0.15);
    expect(model?.slowdown.from).toBe(3);
    expect(model?.slots).toBe(0);
    const service = model?.service ?? { fixed: 0 };
    expect('uniform' in service).toBe(true);
    within(0.05, meanS(service, TOKENS), 17.5);
    expect(n).toBeGreaterThan(2000);
    expect(because).toContain('KS');
  });

  it('tells full slots from a slow-down', () => {
    const { model, knee } =
      calibrationOf(measured({ service: { exponential: 4 }, slots: 4 }), 0) ?? {};
    expect(model?.slots).toBe(4);
    expect(model?.slowdown.perRequest).toBe(0);
    within(0.05, meanS(model?.service ?? { fixed: 0 }, TOKENS), 4);
    expect(knee).toBe(4);
  });

  it('finds that nothing slows it down, where nothing does', () => {
    const { model, knee } = calibrationOf(measured({ service: { exponential: 4 } }), 0) ?? {};
    expect(model).toMatchObject({ slots: 0, slowdown: { perRequest: 0 } });
    expect(knee).toBeNull();
  });

  it('finds the cost of a token under a slow-down', () => {
    const tokens = { prefillPerS: 400, gapS: 0.02, overheadS: 0.3 };
    const slowdown = { perRequest: 0.05, from: 1 };
    const { model } = calibrationOf(measured({ service: { tokens }, slowdown }), 0) ?? {};
    const service = model?.service ?? { fixed: 0 };
    if (!('tokens' in service)) throw new Error('expected a service per token');
    within(0.05, service.tokens.gapS, 0.02);
    within(0.05, service.tokens.prefillPerS, 400);
    within(0.05, service.tokens.overheadS, 0.3);
    within(0.05, model?.slowdown.perRequest ?? 0, 0.05);
  });

  it('says a rate limit is one, and leaves that level out of the fit', () => {
    const good = measured({ service: { uniform: [5, 30] } }).slice(0, 2);
    const [sample] = good[0]?.samples ?? [];
    if (sample === undefined) throw new Error('expected a sample');
    const refused = { ...sample, status: 429, endS: sample.startS + 0.001 };
    const limited = {
      connections: 4,
      errors: 0,
      retryAfterS: 7,
      samples: [sample, refused, refused],
    };
    const { limit, model } = calibrationOf([...good, limited], 0) ?? {};
    expect(limit).toEqual({ connections: 4, share: 2 / 3, retryAfterS: 7 });
    within(0.05, meanS(model?.service ?? { fixed: 0 }, TOKENS), 17.5);
  });

  it('says nothing on too few answers', () => {
    expect(
      calibrationOf(
        measured({ service: { fixed: 1 } }).map((l) => ({ ...l, samples: l.samples.slice(0, 3) })),
        0,
      ),
    ).toBeUndefined();
  });
});

describe('an observed request', () => {
  it('has met the average of those in service while it was', () => {
    const at = (startS: number, endS: number): Sample => {
      return { connections: 2, startS, endS, status: 200, inTokens: 0, outTokens: 0 };
    };
    const [long, short] = observedOf([at(0, 10), at(4, 6)], 0);
    expect(long?.inService).toBeCloseTo(1.2, 9);
    expect(short?.inService).toBeCloseTo(2, 9);
    expect(concurrencyFit([]).n).toBe(0);
  });
});
