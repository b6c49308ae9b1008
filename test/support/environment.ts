/**
 * The environment is an input of loadline (DESIGN.md §6), so a developer's own settings must not
 * reach the tests: whatever a test needs, it sets.
 */
const NAMES = [
  'ADMIT_ALWAYS',
  'ADMIT_MODE',
  'AGE_REJECT',
  'ARRIVAL_S',
  'BASE_RATE',
  'BURST_FROM',
  'BURST_TO',
  'DEADLINE_MS',
  'DEPTH_MULT',
  'DRILL_MODE',
  'LEDGER_PATH',
  'MAX_PREEMPTS',
  'MC_API_KEY',
  'MC_ENDPOINT',
  'MC_MODEL',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'QUEUE_AGE_FRAC',
  'RESTART_FRAC',
  'SIMULATE_PREEMPT',
  'SLO_SEC',
  'TASK_BUDGET',
  'WORKERS',
];

for (const name of NAMES) delete process.env[name];
