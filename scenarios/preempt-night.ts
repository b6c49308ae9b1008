import { defineScenario } from 'loadline';

/**
 * Runbook 001's night with its own thresholds: batch work on free slots, each of which is taken
 * back every fifty seconds in the mean. A checkpoint every 100 tokens costs a quarter of a second.
 * Sweep what the runbook leaves to judgement: `loadline sweep preempt-night --set
 * model.checkpointTokens=10,25,50,100,200,600 --set model.preempts.perS=.005,.02,.05`.
 */
export default defineScenario({
  name: 'preempt-night',
  description: 'Batch work on free slots that are taken back in mid answer',
  durationS: 1800,
  sloS: 120,
  seed: 1,
  arrivals: { process: 'poisson', ratePerS: 0.08 },
  classes: {
    batch: {
      kind: 'batch',
      prompt: 'Write the release notes of this change log, section by section.',
      inTokens: 60,
      maxTokens: 600,
      outTokens: 600,
      deadlineS: 120,
      replay: true,
    },
  },
  gate: {
    slots: 4,
    queueAgeFraction: 0.5,
    taskBudgetTokens: 1000,
    restartFraction: 0.2,
    maxPreempts: 2,
    rationale:
      'The values of the runbook: if a restart cannot finish inside slack, reject it. Two preempts ' +
      'already imply an unstable slot; a task that is older than half its deadline is not started.',
  },
  model: {
    service: { tokens: { prefillPerS: 1000, gapS: 0.05 } },
    checkpointTokens: 100,
    checkpointCostS: 0.25,
    resume: true,
    preempts: { type: 'rate', perS: 0.02 },
  },
});
