import { defineScenario } from 'loadline';

/**
 * A night in which runbook 000's rule decides: batch work with a deadline comes at random, and so
 * do sessions that may queue and then hold a slot for minutes at 5 % of its compute. Means of 40
 * runs (the test of this scenario holds the table):
 *
 *     batch that misses  sessions lost    --set
 *              20 %      none             gate.slackRejectS=null
 *               6 %      12 of 119 refused   as it is: the rule at 90 s
 *               3 %      13 of 119 refused   gate.slackRejectS=180
 *               0 %      40 of 119 refused   gate.slackRejectS=null gate.interactiveCap=3
 *               0 %      60 of 119 cut off   gate.slackRejectS=null gate.maxHoldS=120
 *
 *     loadline sim lease-night -n 40 --set gate.slackRejectS=null
 *     loadline sweep lease-night -n 40 --set gate.slackRejectS=0,60,90,120,150,180
 *     loadline tune lease-night --param gate.slackRejectS=0..180
 *
 * The rule refuses the fewest sessions, because it acts only when a deadline is near; it cannot
 * undo a hold, so some jobs are late all the same. A cap or a limit on the hold ends the misses and
 * costs the most sessions. With `classes.debug.mayQueue=false` the rule decides nothing: slack
 * falls only while batch waits, the pool is full then, and a session that may not queue is refused
 * anyway (45 of 119, with the rule on or off).
 */
export default defineScenario({
  name: 'lease-night',
  description: 'Batch with a deadline, and sessions that queue and hold: where slack decides',
  durationS: 7200,
  sloS: 480,
  seed: 1,
  classes: {
    batch: {
      kind: 'batch',
      arrivals: { process: 'poisson', ratePerS: 0.04 },
      deadlineS: 480,
      prompt: 'Summarise tonight’s incident notes for the morning in five lines.',
      maxTokens: 256,
      service: { uniform: [15, 35] },
    },
    debug: {
      kind: 'interactive',
      arrivals: { process: 'poisson', ratePerS: 0.016 },
      mayQueue: true,
      prompt: 'Why does this notebook cell run out of memory?',
      maxTokens: 256,
      hold: { exponential: 180 },
      sloS: 3600,
      service: { fixed: 3600 },
    },
  },
  gate: {
    slots: 4,
    slackRejectS: 90,
    holdRejectS: 60,
    slackAdmitS: 180,
    rationale:
      'Refuses a tenth of the sessions, on the nights when they would cost the batch its deadline. ' +
      'Where no job may be late at all, cap interactive leases at 3 instead.',
  },
  model: { service: { uniform: [15, 35] } },
});
