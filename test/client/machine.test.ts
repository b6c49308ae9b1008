import { expect, test } from 'vitest';
import type { ClientDriver } from '../../src/client/driver.ts';
import { ClientMachine } from '../../src/client/machine.ts';
import type { Request } from '../../src/client/request.ts';
import type { Outcome } from '../../src/client/types.ts';
import { AT_ONCE } from './support.ts';

/** A server that refuses every try in the moment it is made. */
class Refusing implements ClientDriver {
  sent = 0;
  readonly outcomes: Outcome[] = [];
  readonly client = new ClientMachine(
    { classes: { b: { retry: AT_ONCE, patience: null, timeoutUs: null } }, seed: 1 },
    this,
  );

  send(request: Request, atUs: number): void {
    this.sent++;
    this.client.failed(request, { as: 'rejected', retryAfterUs: 0, mayRetry: true }, atUs);
  }

  hangUp(): void {}

  settled(_: Request, outcome: Outcome): void {
    this.outcomes.push(outcome);
  }
}

test('a try that is due at once waits for the next call, so that no call goes on for ever', () => {
  const driver = new Refusing();
  driver.client.arrive({ seq: 0, class: 'b', keySeq: 0, holdUs: 0 }, 0);
  expect(driver.sent).toBe(1);
  driver.client.tick(0);
  expect(driver.sent).toBe(2);
  expect(driver.client.nextWakeUs()).toBe(0);
});

test('who has no tries left is settled while the refusal is told', () => {
  const driver = new Refusing();
  driver.client.arrive({ seq: 0, class: 'b', keySeq: 0, holdUs: 0 }, 0);
  for (let k = 0; k < AT_ONCE.max; k++) driver.client.tick(0);
  expect(driver.outcomes).toEqual(['rejected']);
  expect(driver.client.open).toBe(0);
});
