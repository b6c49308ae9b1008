/**
 * The gate's machine by itself, in the smallest loop that can drive it: no caller, no model, no
 * wire, no rows. What the simulator could come to if everything but the gate cost nothing.
 */
import type { GateDriver } from '../../../src/admission/driver.ts';
import { GateMachine } from '../../../src/admission/machine.ts';
import type { Ticket } from '../../../src/admission/ticket.ts';
import type { Refusal } from '../../../src/admission/types.ts';
import type { Schedule } from '../../../src/arrivals/schedule.ts';
import { DueHeap, type HeapEntry } from '../../../src/model/due-heap.ts';
import { admissionConfig } from '../../../src/scenario/machines.ts';
import type { Scenario } from '../../../src/scenario/types.ts';

interface Service extends HeapEntry {
  readonly ticket: Ticket;
}

/** Plays the arrivals through a gate. @returns how many were turned away */
export function playGate(scenario: Scenario, schedule: Schedule): number {
  return new GateAlone(scenario, schedule).play();
}

class GateAlone implements GateDriver {
  private readonly gate: GateMachine;
  private readonly running = new DueHeap<Service>();
  private rejectedCount = 0;

  constructor(
    scenario: Scenario,
    private readonly schedule: Schedule,
  ) {
    this.gate = new GateMachine(admissionConfig(scenario), this);
  }

  play(): number {
    for (const { seq, atUs, class: name } of this.schedule.arrivals) {
      this.releaseUntil(atUs);
      this.gate.arrive({ seq, attempt: 0, class: name }, atUs);
    }
    this.releaseUntil(Number.MAX_VALUE);
    return this.rejectedCount;
  }

  private releaseUntil(untilUs: number): void {
    const { running, gate } = this;
    while (running.topKey <= untilUs) {
      const { ticket, key } = running.pop();
      gate.release(ticket, 'completed', key);
    }
  }

  granted(ticket: Ticket, _shadow: Refusal | undefined, atUs: number): void {
    const { seq } = ticket.request;
    const key = atUs + (this.schedule.arrivals[seq]?.demand.serviceUs ?? 0);
    this.running.push({ ticket, key, tie: seq, place: -1 });
  }

  rejected(): void {
    this.rejectedCount++;
  }

  expired(): void {
    this.rejectedCount++;
  }

  queued(): void {}
  killed(): void {}
  replay(): void {}
  failed(): void {}
}
