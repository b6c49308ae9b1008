import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';

/** A folder for what each test of `calibrate` writes; no key or model of whoever runs the tests. */
export function calibratePlace(): { path: string } {
  const place = { path: '' };
  beforeEach(() => {
    place.path = mkdtempSync(join(tmpdir(), 'loadline-calibrate-'));
    for (const name of ['MC_API_KEY', 'OPENAI_API_KEY', 'MC_MODEL']) vi.stubEnv(name, '');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    rmSync(place.path, { recursive: true, force: true });
  });
  return place;
}
