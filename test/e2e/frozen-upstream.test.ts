/** A worker that is frozen holds no slot for longer than the gate of a run lets it be silent. */
import { afterAll, expect, it } from 'vitest';
import { runLive } from '../../src/commands/live-run.ts';
import { openRunFolder } from '../../src/commands/run-folder.ts';
import { Operator } from '../../src/drills/lease-hold/operator.ts';
import { holdsWithin } from '../../src/drills/preempt/rig.ts';
import { NO_LIMITS } from '../../src/engine/live/breaker.ts';
import { parseScenario } from '../../src/scenario/schema.ts';
import { scratch } from './program.ts';

const { path, remove } = scratch();
afterAll(remove);

const SLOTS = 3;
const REACHED_MS = 20_000;
/** The least that a gate waits is five seconds; a busy machine needs longer to say so. */
const GIVEN_BACK_MS = 30_000;

it('gives the slots of a frozen stub back, and says timeout', async () => {
  const scenario = parseScenario({
    ...{ name: 'frozen', durationS: 40, sloS: 20, drainS: 5000 },
    arrivals: { process: 'constant', ratePerS: 0.1 },
    gate: { slots: SLOTS, maxWaitS: 5 },
    model: { service: { fixed: 60 } },
  });
  const folder = openRunFolder(path('run'), false);
  const seen: boolean[] = [];
  const { result } = await runLive(scenario, {
    ...{ folder, timeScale: 0.02, limits: NO_LIMITS },
    meanwhile: async ({ parts, gatewayUrl }) => {
      const operator = new Operator(gatewayUrl ?? '');
      const leasesAre = (count: number) => async () =>
        (await operator.metric('loadline_leases')) === count;
      const pid = parts.stub?.pid ?? 0;
      seen.push(await holdsWithin(REACHED_MS, leasesAre(SLOTS)));
      process.kill(pid, 'SIGSTOP');
      seen.push(await holdsWithin(GIVEN_BACK_MS, leasesAre(0)));
      process.kill(pid, 'SIGCONT');
    },
  });
  folder.abandon();
  expect(seen).toEqual([true, true]);
  expect(result.failedBy).toEqual({ timeout: SLOTS });
}, 90_000);
