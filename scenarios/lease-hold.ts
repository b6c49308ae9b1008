import { defineScenario } from 'loadline';

/**
 * Runbook 000's own drill, mended: a session holds one of two slots for 180 s while six batch jobs
 * of 25 s arrive within 40 s. A session may not queue, so the second one (`--mode admit`) is turned
 * away by the full pool whatever the slack, and the rule decides nothing: `lease-night` shows where
 * it does.
 */
export default defineScenario({
  name: 'lease-hold',
  description: 'A debug session holds one of two slots while six batch jobs arrive',
  durationS: 220,
  sloS: 480,
  seed: 1,
  classes: {
    batch: {
      kind: 'batch',
      arrivals: { process: 'at', atS: [5, 10, 15, 22, 30, 40] },
      deadlineS: 480,
      prompt: 'Summarise the change log of this release in three lines.',
      maxTokens: 64,
      service: { fixed: 25 },
    },
    dbg: {
      kind: 'interactive',
      arrivals: { process: 'at', atS: [0] },
      prompt: 'Explain what a lease on a worker slot is.',
      maxTokens: 64,
      hold: { fixed: 180 },
      service: { fixed: 180 },
    },
  },
  gate: {
    slots: 2,
    slackRejectS: 90,
    holdRejectS: 60,
    slackAdmitS: 180,
    rationale: 'The values of the runbook. In this drill slack never falls below 365 s.',
  },
  model: { service: { fixed: 25 } },
});
