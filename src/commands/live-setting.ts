import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Schedule } from '../arrivals/schedule.ts';
import type { Result } from '../result/types.ts';
import type { Scenario } from '../scenario/types.ts';
import { type LiveFlags, liveOptions } from './live-options.ts';
import { runLive } from './live-run.ts';
import { openRunFolder } from './run-folder.ts';

/** Plays one setting for real; only its result is kept. @throws UserError where it cannot begin */
export async function playLive(
  scenario: Scenario,
  flags: LiveFlags,
  schedule: Schedule,
  signal: AbortSignal,
): Promise<Result> {
  const place = mkdtempSync(join(tmpdir(), 'loadline-'));
  const folder = openRunFolder(join(place, 'run'), false);
  try {
    const { result } = await runLive(scenario, {
      ...liveOptions(flags),
      folder,
      schedule,
      signal,
    });
    return result;
  } finally {
    folder.abandon();
    rmSync(place, { recursive: true, force: true });
  }
}
