/**
 * A server that closes idle connections after one second, asked once a second for three minutes: a
 * pooled connection dies just as it is used again. No caller may see it, and what was sent again is
 * counted as such and nowhere else. Three minutes; LOADLINE_SOAK_RACE_S sets another length.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { launchOf } from '../../src/commands/launch.ts';
import { tell } from '../../src/drills/preempt/caller.ts';
import { startPart } from '../../src/engine/live/child.ts';
import { startGateway } from '../../src/gateway/server.ts';
import { stableJson } from '../../src/result/json.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

const LENGTH_S = Number(process.env['LOADLINE_SOAK_RACE_S'] ?? 180);
const IDLE_MS = 1_000;
/** Callers that miss the close by some milliseconds on either side. */
const OFFSETS_MS = [-6, -4, -2, -1, 0, 1, 2, 4];

it(`no caller notices in ${LENGTH_S} s that connections die as they are used again`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loadline-race-'));
  const scenario = parseScenario({
    name: 'race',
    arrivals: { process: 'poisson', ratePerS: 1 },
    gate: { slots: 16 },
    model: { service: { fixed: 0.005 } },
  });
  const file = join(folder, 'scenario.json');
  writeFileSync(file, stableJson(scenario));
  const argv = ['--scenario', file, '--port', '0', '--keep-alive-ms', String(IDLE_MS)];
  const stub = await startPart('stub', launchOf('stub'), [...argv, '--exit-with-parent']);
  const gateway = await startGateway({ scenario, upstream: `http://127.0.0.1:${stub.port}` });
  const url = `http://127.0.0.1:${gateway.port}`;
  const failed: string[] = [];
  let asked = 0;
  const caller = async (offsetMs: number) => {
    const endMs = performance.now() + LENGTH_S * 1e3;
    while (performance.now() < endMs) {
      const { how, status, reason } = await tell(url, asked++, 2);
      if (how !== 'done') failed.push(`${status} ${how} ${reason}`);
      await pause(IDLE_MS + offsetMs);
    }
  };
  try {
    await Promise.all(OFFSETS_MS.map(caller));
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const lines = metrics
      .split('\n')
      .filter((line) => /transport_retries|upstream_failures/.test(line));
    console.log([`asked ${asked}`, ...lines.filter((line) => !line.startsWith('#'))].join('\n'));
    expect(failed).toEqual([]);
    expect(asked).toBeGreaterThanOrEqual(LENGTH_S);
  } finally {
    await gateway.close();
    await stub.stop();
    rmSync(folder, { recursive: true });
  }
});
