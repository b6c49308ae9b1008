import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { leaseHoldDrill } from '../../src/drills/lease-hold.ts';

const folder = mkdtempSync(join(tmpdir(), 'drill-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the crossing drill live: within 2 % of scenario time, every fault, roll-back and clean-up seen', async () => {
  const { steps, run } = await leaseHoldDrill.run({
    ...{ as: 'crossing', mode: 'reject', live: true, timeScale: undefined, seed: undefined },
    ...{ out: join(folder, 'run'), force: false, say: () => {} },
  });
  expect(steps.filter(({ ok }) => !ok)).toEqual([]);
  expect(steps.length).toBe(16);
  expect(run?.result.verdicts[0]?.headline).toMatch(/^DO NOT SCALE\. END SESSIONS dbg-1, dbg-2\./);
}, 180_000);
