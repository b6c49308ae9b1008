import { defineScenario } from 'loadline';

export default defineScenario({
  name: 'smoke',
  description: 'Two seconds that touch every part: a queue forms, some wait, some are turned away',
  durationS: 2,
  sloS: 0.5,
  arrivals: { process: 'poisson', ratePerS: 20, bursts: [{ fromS: 0.5, toS: 1.2, factor: 3 }] },
  classes: { task: { prompt: 'Say yes.', maxTokens: 8 } },
  gate: {
    slots: 4,
    maxWaitS: 0.2,
    rationale: 'Short enough that the burst meets it.',
  },
  model: { service: { uniform: [0.05, 0.2] } },
});
