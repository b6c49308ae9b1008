import { defineScenario } from 'loadline';

/**
 * Runbook 000, carried on until its rule speaks: two sessions hold both slots for 400 s. Six batch
 * jobs wait behind them, and from t = 360 on one probe a second asks for a slot. `loadline drill
 * lease-hold --as crossing` plays it, in virtual time or live, and checks what must happen when.
 */
export default defineScenario({
  name: 'lease-crossing',
  description: 'Two debug sessions hold both slots while six batch jobs run out of slack',
  durationS: 480,
  sloS: 480,
  seed: 1,
  classes: {
    batch: {
      kind: 'batch',
      arrivals: { process: 'at', atS: [5, 10, 15, 22, 30, 40] },
      priority: 1,
      deadlineS: 480,
      prompt: 'Summarise the change log of this release in three lines.',
      maxTokens: 64,
      service: { fixed: 25 },
    },
    dbg: {
      kind: 'interactive',
      arrivals: { process: 'at', atS: [0, 1] },
      prompt: 'Explain what a lease on a worker slot is.',
      maxTokens: 64,
      hold: { fixed: 400 },
      sloS: 600,
      service: { fixed: 400 },
    },
    probe: {
      kind: 'interactive',
      arrivals: {
        process: 'at',
        atS: [
          360, 361, 362, 363, 364, 365, 366, 367, 368, 369, 370, 371, 372, 373, 374, 375, 376, 377,
          378, 379, 380,
        ],
      },
      mayQueue: true,
      prompt: 'Are you there?',
      maxTokens: 8,
      hold: { fixed: 1 },
      service: { fixed: 1 },
    },
  },
  gate: {
    slots: 2,
    slackRejectS: 90,
    holdRejectS: 60,
    slackAdmitS: 180,
    retryBudget: 2,
    retryAfterS: 120,
    rationale:
      'The values of the runbook: once the oldest batch job could lose 90 s no more, no further ' +
      'session gets a slot until the slack is honestly large again.',
  },
  model: { service: { fixed: 25 } },
});
