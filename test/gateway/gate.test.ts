import { describe, expect, it } from 'vitest';
import { createAdmission } from '../../src/admission/admission.ts';
import type { Clock } from '../../src/gateway/clock.ts';
import { startClock } from '../../src/gateway/clock.ts';
import { Gate, type TicketEffect } from '../../src/gateway/gate.ts';
import { admissionConfig } from '../../src/scenario/machines.ts';
import { scenarioOf } from './support.ts';

function stillClock(): Clock & { now: number } {
  return {
    now: 0,
    timeScale: 1,
    nowUs() {
      return this.now;
    },
    wallMs: (us) => us / 1000,
  };
}

describe('the clock', () => {
  it('speaks scenario time and never goes back', () => {
    const readings = [1_000, 1_001, 1_000.5, 1_003];
    const clock = startClock(0.1, () => readings.shift() ?? 1_003);
    expect([clock.nowUs(), clock.nowUs(), clock.nowUs()]).toEqual([10_000, 10_000, 30_000]);
    expect(clock.wallMs(5_000_000)).toBe(500);
  });
});

describe('the gate in real time', () => {
  const config = admissionConfig(scenarioOf({ slots: 1, maxWaitS: 1 }));
  const request = { seq: 0, attempt: 0, class: 'task' };

  it('hands a nested grant to its request after the effect that caused it', () => {
    const gate = new Gate(createAdmission(config), stillClock(), () => {});
    const heard: string[] = [];
    const first = gate.arrive(
      request,
      (effect) => heard.push(`first ${effect.type}`),
      () => {},
    );
    gate.arrive(
      request,
      (effect) => heard.push(`second ${effect.type}`),
      () => {},
    );
    expect(gate.release(first, 'completed')).toBe(true);
    expect(gate.release(first, 'completed')).toBe(false);
    expect(gate.cancel(first)).toBe(false);
    expect(heard).toEqual(['first granted', 'second queued', 'second granted']);
    gate.close();
  });

  it('runs what was due before it lets a late caller act', () => {
    const clock = stillClock();
    const gate = new Gate(createAdmission(config), clock, () => {});
    const heard: TicketEffect[] = [];
    gate.arrive(
      request,
      () => {},
      () => {},
    );
    const second = gate.arrive(
      request,
      (effect) => heard.push(effect),
      () => {},
    );
    clock.now = 5_000_000;
    expect(gate.cancel(second)).toBe(false);
    expect(heard.map((effect) => effect.type)).toEqual(['queued', 'expired']);
    expect(heard[1]?.atUs).toBe(1_000_000);
    gate.close();
  });

  it('takes back what it could not record, and admits nothing more', async () => {
    let full = false;
    const gate = new Gate(createAdmission(config), stillClock(), () => {
      if (full) throw new Error('disk full');
    });
    const heard: string[] = [];
    const hear = (name: string) =>
      [
        (effect: TicketEffect) => void heard.push(`${name} ${effect.type}`),
        (fault: Error) => void heard.push(`${name} ${fault.message}`),
      ] as const;
    const first = gate.arrive(request, ...hear('first'));
    gate.arrive(request, ...hear('waiting'));
    full = true;
    gate.arrive(request, ...hear('third'));
    await Promise.resolve();
    gate.arrive(request, ...hear('fourth'));
    expect(heard).toEqual([
      ...['first granted', 'waiting queued'],
      ...['waiting disk full', 'third disk full', 'fourth disk full'],
    ]);
    expect(gate.release(first, 'completed')).toBe(true);
    expect(gate.admission.view).toMatchObject({ leased: 0, queued: 0 });
    gate.close();
  });
});
