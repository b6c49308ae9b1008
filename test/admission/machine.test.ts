import { expect, test } from 'vitest';
import type { GateDriver } from '../../src/admission/driver.ts';
import { GateMachine } from '../../src/admission/machine.ts';
import type { Ticket } from '../../src/admission/ticket.ts';
import { BATCH, OPEN, s } from './fixtures.ts';

/** Keeps the tickets of those who got a slot; `onGrant` is called in the middle of it. */
class Grants implements GateDriver {
  readonly tickets: Ticket[] = [];
  onGrant: (ticket: Ticket) => void = () => {};
  readonly gate = new GateMachine({ policy: OPEN, classes: { b: BATCH }, seed: 1 }, this);

  granted(ticket: Ticket): void {
    this.tickets.push(ticket);
    this.onGrant(ticket);
  }

  arrive(seq: number, nowUs: number): void {
    this.gate.arrive({ seq, attempt: 0, class: 'b' }, nowUs);
  }

  get served(): number[] {
    return this.tickets.map(({ request }) => request.seq);
  }

  queued(): void {}
  rejected(): void {}
  expired(): void {}
  killed(): void {}
  replay(): void {}
  failed(): void {}
}

test('a slot is given back once: a second release throws', () => {
  const driver = new Grants();
  driver.arrive(0, 0);
  const [ticket] = driver.tickets as [Ticket];
  driver.gate.release(ticket, 'completed', s(1));
  expect(() => driver.gate.release(ticket, 'completed', s(2))).toThrow(/request 0.*has ended/);
  expect(driver.gate.view.leased).toBe(0);
});

test('a slot that is given back while its grant is told goes to the next in line', () => {
  const driver = new Grants();
  driver.arrive(0, 0);
  for (const seq of [1, 2, 3]) driver.arrive(seq, s(seq));
  driver.onGrant = (ticket) => {
    if (ticket.request.seq < 3) driver.gate.release(ticket, 'failed', s(10));
  };
  driver.gate.release(driver.tickets[0] as Ticket, 'completed', s(10));
  expect(driver.served).toEqual([0, 1, 2, 3]);
  expect(driver.gate.view).toMatchObject({ leased: 1, queued: 0 });
});

test('it hands back the very object that it was given', () => {
  const driver = new Grants();
  const request = { seq: 7, attempt: 2, class: 'b' };
  driver.gate.arrive(request, 0);
  expect(driver.tickets[0]?.request).toBe(request);
});

test('any number may give their slot back while its grant is told', () => {
  const driver = new Grants();
  const last = 50_000;
  for (let seq = 0; seq <= last; seq++) driver.arrive(seq, 0);
  driver.onGrant = (ticket) => driver.gate.release(ticket, 'failed', s(10));
  driver.gate.release(driver.tickets[0] as Ticket, 'completed', s(10));
  expect(driver.served).toHaveLength(last + 1);
  expect(driver.served.every((seq, place) => seq === place)).toBe(true);
  expect(driver.gate.view).toMatchObject({ leased: 0, queued: 0 });
});
