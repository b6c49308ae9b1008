import type { Scenario } from '../scenario/types.ts';
import { bothRefusals, type Refuse } from './choose.ts';

/**
 * Services that a run observed were measured with so many slots out. With more of them an endpoint
 * may be slower, or queue inside, and nothing in the run tells: that its slots look idle is no
 * evidence (vllm#11517). So no recorded run recommends more slots than it had; `calibrate` can.
 * @param arrivals observed; null: nothing is known from a run, so nothing is refused
 */
export function refuseUnobservedSlots(
  scenarios: readonly Scenario[],
  arrivals: number | null,
): Refuse {
  if (arrivals === null) return () => null;
  const most = Math.max(...scenarios.map(({ gate }) => gate.slots));
  return ({ setting }) => {
    const slots = Number(setting['gate.slots'] ?? 0);
    if (!(slots > most)) return null;
    const text = `services were observed with at most ${most} at a time, not with ${slots}: calibrate the endpoint`;
    return { text, miss: slots / most - 1 };
  };
}

/** What either refuses. */
export function refuseBoth(first: Refuse, second: Refuse): Refuse {
  return (trial) => bothRefusals(first(trial), second(trial));
}
