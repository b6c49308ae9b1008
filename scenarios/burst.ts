import { defineScenario } from 'loadline';

export default defineScenario({
  name: 'burst',
  description:
    'Four workers at 3.5 to 7 times their capacity: the numbers of the admission runbook',
  durationS: 300,
  sloS: 60,
  arrivals: {
    process: 'poisson',
    ratePerS: 0.8,
    bursts: [{ fromS: 120, toS: 240, factor: 2 }],
  },
  classes: {
    small: {
      share: 0.7,
      prompt: 'Is it safe to add one to a 32-bit counter that is at its maximum? Answer in a line.',
      maxTokens: 256,
    },
    large: {
      share: 0.3,
      prompt:
        'Rewrite a module that assigns the same variable four hundred times in a row. Explain ' +
        'first what it computes, then give the shortest version that computes the same.',
      maxTokens: 256,
    },
  },
  gate: {
    slots: 4,
    ageRejectS: 25,
    depthMultiple: 2,
    rationale:
      'The values of the runbook, kept to show what they do. This is overload: no threshold ' +
      'serves more than a quarter of the work in time.',
  },
  model: { service: { uniform: [5, 30] } },
});
