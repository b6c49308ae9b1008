import { expect, it } from 'vitest';
import { perProcess } from '../../src/commands/gateway.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

it('says of a gate that its limits are those of one process', () => {
  expect(perProcess(parseScenario({ arrivals: { ratePerS: 1 }, gate: { slots: 8 } }))).toMatch(
    /^8 slots in this process: limits are per process/,
  );
});
