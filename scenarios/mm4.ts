import { defineScenario } from 'loadline';

export default defineScenario({
  name: 'mm4',
  description: 'M/M/4 at a load of .8, no rule: what queueing theory has formulas for',
  durationS: 20_000,
  warmupS: 1_000,
  sloS: 30,
  arrivals: { process: 'poisson', ratePerS: 0.8 },
  classes: { task: { prompt: 'Say yes.', maxTokens: 8 } },
  gate: {
    slots: 4,
    rationale: 'No threshold: the waits are those of Erlang C.',
  },
  model: { service: { exponential: 4 } },
});
