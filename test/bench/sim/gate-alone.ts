/**
 * The gate's machine by itself, in the smallest loop that can drive it: no caller, no model, no
 * wire, no rows. What the simulator could come to if everything but the gate cost nothing.
 */
import { createAdmission } from '../../../src/admission/admission.ts';
import type { Schedule } from '../../../src/arrivals/schedule.ts';
import { DueHeap, type HeapEntry } from '../../../src/model/due-heap.ts';
import { admissionConfig } from '../../../src/scenario/machines.ts';
import type { Scenario } from '../../../src/scenario/types.ts';

interface Service extends HeapEntry {
  readonly id: number;
}

/** Plays the arrivals through a gate. @returns how many were turned away */
export function playGate(scenario: Scenario, { arrivals }: Schedule): number {
  const gate = createAdmission(admissionConfig(scenario));
  const running = new DueHeap<Service>();
  let rejected = 0;
  const say = (effects: ReturnType<typeof gate.apply>, nowUs: number): void => {
    for (const effect of effects) {
      if (effect.type === 'rejected') rejected++;
      if (effect.type !== 'granted') continue;
      const { id } = effect;
      const key = nowUs + (arrivals[id]?.demand.serviceUs ?? 0);
      running.push({ id, key, tie: id, place: -1 });
    }
  };
  const releaseUntil = (untilUs: number): void => {
    while (running.topKey <= untilUs) {
      const { top } = running;
      running.remove(top);
      say(gate.apply({ type: 'release', id: top.id, outcome: 'completed' }, top.key), top.key);
    }
  };
  for (const { seq, atUs, class: name } of arrivals) {
    releaseUntil(atUs);
    say(gate.apply({ type: 'arrive', id: seq, seq, attempt: 0, class: name }, atUs), atUs);
  }
  releaseUntil(Number.MAX_VALUE);
  return rejected;
}
