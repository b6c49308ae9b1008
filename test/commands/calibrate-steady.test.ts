/** Calibrations whose loops are said, not measured: what is made of them does not hang on a timer. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Level } from '../../src/calibrate/calibration.ts';
import type { ClosedLoopOptions } from '../../src/calibrate/closed-loop.ts';
import { calibrateCommand } from '../../src/commands/calibrate.ts';
import { testStub } from '../stubs/support.ts';

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

let place = '';
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'loadline-calibrate-'));
  for (const name of ['MC_API_KEY', 'OPENAI_API_KEY', 'MC_MODEL']) vi.stubEnv(name, '');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(place, { recursive: true, force: true });
});

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
  const file = join(place, 'model.json');
  const asked = ['--endpoint', stub.url, '--model', 'm', '--quiet', '--out', file, ...argv];
  const ended = await calibrateCommand()
    .parseAsync(asked, { from: 'user' })
    .then(() => undefined)
    .catch((error: unknown) => error);
  return {
    ended,
    text: said.mock.calls.map(([text]) => text).join(''),
    document: JSON.parse(readFileSync(file, 'utf8')),
    page: readFileSync(join(place, 'model.html'), 'utf8'),
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
