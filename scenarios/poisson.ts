import { defineScenario } from 'loadline';

export default defineScenario({
  name: 'poisson',
  description: 'A quiet day: steady Poisson arrivals at two thirds of the capacity of 16 slots',
  durationS: 600,
  sloS: 60,
  arrivals: { process: 'poisson', ratePerS: 0.6 },
  classes: {
    task: {
      prompt: 'Suggest a clearer name for a function called doStuff that sorts orders by date.',
      maxTokens: 256,
    },
  },
  gate: {
    slots: 16,
    maxWaitS: 30,
    rationale: 'The threshold of the rush; on a quiet day it should turn almost nobody away.',
  },
  model: { service: { uniform: [5, 30] } },
});
