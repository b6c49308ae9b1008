import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import { replayCommand } from '../../src/commands/replay.ts';
import { openRunFolder } from '../../src/commands/run-folder.ts';
import { simulateResult } from '../../src/commands/simulate.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

const scenario = parseScenario({
  ...{ durationS: 20, arrivals: { process: 'poisson', ratePerS: 2 } },
  gate: { slots: 2, maxWaitS: 5, queueCapacity: 8 },
  model: { service: { exponential: 1 } },
});
let place = '';
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'loadline-replay-'));
  const folder = openRunFolder(join(place, 'run'), false);
  await folder.finish(simulateResult(scenario), buildSchedule(scenario));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

async function replayed(...argv: string[]): Promise<string> {
  const quietly = ['--quiet', '--force', '--out', join(place, 'replay')];
  let said = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((...args: unknown[]) => {
    said += String(args[0]);
    const then = args.at(-1);
    if (typeof then === 'function') then();
    return true;
  });
  try {
    await replayCommand().parseAsync([join(place, 'run'), ...argv, ...quietly], { from: 'user' });
  } finally {
    write.mockRestore();
  }
  return said;
}

it('names the rules that stay on above its table, and in its document, as a sweep does', async () => {
  const on = 'Also on in every row: queueCapacity 8.';
  const axis = ['--set', 'gate.maxWaitS=1,5'];
  expect(await replayed(...axis)).toMatch(new RegExp(`^${on}\n\n.*the run itself`, 's'));
  const { notes } = JSON.parse(await replayed(...axis, '--json'));
  expect(notes[0]).toBe(on);
  expect(notes.at(-1)).toContain('the run itself');
});
