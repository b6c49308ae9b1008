import { buildSchedule } from '../arrivals/build.ts';
import { figureAt, numberOf } from '../result/figure.ts';
import { replicated } from '../result/replicate.ts';
import type { Scenario } from '../scenario/types.ts';
import type { Evaluate } from '../tune/evaluate.ts';
import type { Setting } from '../tune/setting.ts';
import type { Verification } from '../tune/types.ts';
import type { LiveFlags } from './live-options.ts';
import { playLive } from './live-setting.ts';
import { interruptSignal } from './signals.ts';

/** What is predicted and then measured. */
const PATHS = ['rates.rejection', 'rates.breach', 'responseS.p95'] as const;
const REPLICATIONS = 200;

/** Plays the chosen setting and the present one for real and holds them to the predicted bands. */
export async function verifyLive(
  chosen: { readonly scenario: Scenario; readonly setting: Setting },
  present: Scenario,
  flags: LiveFlags,
  evaluate: Evaluate,
): Promise<Verification[]> {
  const interrupt = interruptSignal();
  const { scenario, setting } = chosen;
  try {
    return [
      await verifyOne('chosen', scenario, setting, flags, evaluate, interrupt.signal),
      await verifyOne('present', present, {}, flags, evaluate, interrupt.signal),
    ];
  } finally {
    interrupt.release();
  }
}

async function verifyOne(
  role: Verification['role'],
  scenario: Scenario,
  setting: Setting,
  flags: LiveFlags,
  evaluate: Evaluate,
  signal: AbortSignal,
): Promise<Verification> {
  const [runs = []] = await evaluate({
    scenarios: [scenario],
    replications: REPLICATIONS,
    figures: 'requests',
  });
  const result = await playLive(scenario, flags, buildSchedule(scenario), signal);
  const { status } = result.health;
  return {
    setting,
    role,
    timeScale: flags.timeScale,
    target: result.environment.target,
    status,
    figures: PATHS.map((path) => {
      const predicted = bandOf(runs.map((run) => run[path] ?? null));
      const measured = numberOf(figureAt(result, path) ?? null);
      const isKnown = status === 'ok' && predicted !== null && measured !== null;
      const inside = isKnown ? measured >= predicted[0] && measured <= predicted[1] : null;
      return { path, predicted, measured, inside };
    }),
  };
}

/** 2.5 to 97.5 % of the runs. */
function bandOf(values: readonly (number | null)[]) {
  const numbers = values.filter((value) => value !== null);
  return replicated(Float64Array.from(numbers))?.band ?? null;
}
