import { defineScenario } from 'loadline';

export default defineScenario({
  name: 'rush',
  description: 'A review queue at its limit, and at twice its load for two minutes',
  durationS: 300,
  sloS: 60,
  seed: 1,
  arrivals: {
    process: 'poisson',
    ratePerS: 0.8,
    bursts: [{ fromS: 120, toS: 240, factor: 2 }],
  },
  classes: {
    small: {
      share: 0.7,
      prompt: 'Name the most likely bug in this change: a loop now ends at i <= items.length.',
      maxTokens: 256,
    },
    large: {
      share: 0.3,
      prompt:
        'Review a pull request that moves session storage from memory to a database. List what ' +
        'could break for users who are signed in while it is deployed, what a rollback would lose, ' +
        'and which three tests you would ask for before it is merged. Be brief and concrete.',
      maxTokens: 256,
    },
  },
  gate: {
    slots: 16,
    maxWaitS: 30,
    rationale:
      'The SLO of 60 s less the longest service of 30 s: whoever waits longer than 30 s may be ' +
      'late, whoever does not cannot be. Holds until the service time or the SLO changes.',
  },
  model: { service: { uniform: [5, 30] }, slots: 0 },
});
