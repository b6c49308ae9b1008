import { expect, it } from 'vitest';
import { alsoOn } from '../../src/report/rules-on.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

const { gate } = parseScenario({
  arrivals: { ratePerS: 1 },
  gate: { slots: 4, ageRejectS: 25, depthMultiple: 2 },
});

it('names the rules that stay on while another is swept', () => {
  expect(alsoOn(gate, ['gate.ageRejectS'])).toEqual(['Also on in every row: depthMultiple 2.']);
  expect(alsoOn(gate, ['gate.ageRejectS', 'gate.depthMultiple'])).toEqual([]);
});
