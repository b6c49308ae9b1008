/** Calibrations whose loops are said, not measured: what is made of them does not hang on a timer. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Level } from '../../src/calibrate/calibration.ts';
import type { ClosedLoopOptions } from '../../src/calibrate/closed-loop.ts';
import { calibrateCommand } from '../../src/commands/calibrate.ts';
import { testStub } from '../stubs/support.ts';
import { calibratePlace } from './calibrate-place.ts';

const loops = vi.hoisted(() => ({
  closed: (_: ClosedLoopOptions): Level => {
    throw new Error('not said');
  },
}));
vi.mock('../../src/calibrate/closed-loop.ts', () => ({
  closedLoop: async (options: ClosedLoopOptions) => loops.closed(options),
}));
vi.mock('../../src/calibrate/open-loop.ts', async (original) => ({
  ...(await original<object>()),
  openLoop: async () => ({ n: 60, failed: 0, meanS: 0.4, p95S: 0.4 }),
}));

const place = calibratePlace();

/** Every answer takes so long, to the microsecond, on however many connections. */
function steady(seconds: number, { connections, requestsPerConnection }: ClosedLoopOptions): Level {
  const samples = Array.from({ length: connections * requestsPerConnection }, (_, i) => {
    const startS = seconds * Math.floor(i / connections);
    const answer = { status: 200, inTokens: 5, outTokens: 16 };
    return { connections, startS, endS: startS + seconds, ...answer };
  });
  return { connections, samples, errors: 0, retryAfterS: null };
}

/** What it printed, what its files hold, and how it ended. */
async function calibrated(...argv: string[]) {
  const said = vi.spyOn(process.stdout, 'write').mockImplementation((_text, done?: unknown) => {
    if (typeof done === 'function') done();
    return true;
  });
  const stub = await testStub({ service: { fixed: 0.001 } });
  onTestFinished(() => stub.close());
  const file = join(place.path, 'model.json');
  const notes = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const asked = ['--endpoint', stub.url, '--model', 'm', '--out', file, ...argv];
  const ended = await calibrateCommand()
    .parseAsync(asked, { from: 'user' })
    .then(() => undefined)
    .catch((error: unknown) => error);
  return {
    ended,
    notes: notes.mock.calls.map(([text]) => text).join(''),
    text: said.mock.calls.map(([text]) => text).join(''),
    document: JSON.parse(readFileSync(file, 'utf8')),
    page: readFileSync(join(place.path, 'model.html'), 'utf8'),
  };
}

it('writes the model of an endpoint that always takes as long', async () => {
  loops.closed = (options) => steady(0.4, options);
  const { ended, text, document, page } = await calibrated('--max-connections', '4');
  expect(ended).toBeUndefined();
  expect(document.model.service.fixed).toBeCloseTo(0.4, 1);
  expect(document.calibration.named[0]).toMatchObject({ name: 'fixed', bic: null });
  expect(text).toContain('fixed fits');
  expect(page).toContain('<th>fixed</th>');
});

describe('interrupted', () => {
  /** Ctrl-C after so many whole levels, with half of the next answered. */
  const cutAfter = (whole: number) => {
    let met = 0;
    loops.closed = (options) => {
      const level = steady(0.4, options);
      if (met++ < whole) return level;
      process.emit('SIGINT');
      return { ...level, samples: level.samples.slice(0, level.samples.length / 2) };
    };
  };

  it('in its first level it is no success, says so everywhere, and leaves open what it cannot know', async () => {
    cutAfter(0);
    const { ended, text, notes, document, page } = await calibrated();
    expect(ended).toMatchObject({
      message: 'the calibration was cut short: interrupted',
      exitCode: 1,
    });
    expect(text).toMatch(/^interrupted in its first level; 60 answers/);
    expect(notes).not.toMatch(/ more$/m);
    expect(text).toMatch(/^concurrency not known/m);
    expect(text).toMatch(/^knee +not known/m);
    expect(document.calibration).toMatchObject({
      ...{ interrupted: true, knee: null, concurrency: { type: 'unknown' } },
      levels: [{ connections: 1, isCut: true }],
    });
    expect(page).toMatch(/<h1>Measure again before you use .*: interrupted/);
    expect(page).toContain('INTERRUPTED');
    expect(page).not.toMatch(/does not change|not met/);
  });

  it('later, it does not take the part of a level for the knee', async () => {
    cutAfter(2);
    const { ended, text, document } = await calibrated();
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(document.calibration.knee).toBeNull();
    expect(document.calibration.concurrency.type).toBe('constant');
    expect(text).toMatch(/^knee +not met up to 2 connections/m);
    expect(text).toMatch(/^interrupted after the level of 2 connections/);
  });

  it('without any answer in a level, it keeps the levels before it', async () => {
    let met = 0;
    loops.closed = (options) => {
      if (met++ === 0) return steady(0.4, options);
      process.emit('SIGINT');
      return { ...steady(0.4, options), samples: [] };
    };
    const { ended, document } = await calibrated();
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(document.calibration).toMatchObject({ interrupted: true, levels: [{ connections: 1 }] });
  });
});

it('draws no conclusion on many connections from one, though it came to its end', async () => {
  loops.closed = (options) => steady(0.4, options);
  const { ended, text, document, page } = await calibrated('--max-connections', '1');
  expect(ended).toBeUndefined();
  expect(document.calibration).toMatchObject({
    interrupted: false,
    concurrency: { type: 'unknown' },
  });
  expect(text).toMatch(/^knee +not known/m);
  expect(page).toMatch(/<h1>Put model: .*; what more requests at once do to it was not measured/);
});
