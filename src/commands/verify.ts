import { figureAt, numberOf } from '../result/figure.ts';
import type { Figures } from '../result/figures.ts';
import { replicated } from '../result/replicate.ts';
import type { Result } from '../result/types.ts';
import type { Scenario } from '../scenario/types.ts';
import type { Evaluate } from '../tune/evaluate.ts';
import { liesInside } from '../tune/inside.ts';
import { type Setting, valueAt } from '../tune/setting.ts';
import type { Verification } from '../tune/types.ts';
import type { LiveFlags } from './live-options.ts';
import { playSettings } from './live-setting.ts';
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
  const scenarios = [chosen.scenario, present];
  const predicted = await evaluate({
    scenarios,
    replications: REPLICATIONS,
    figures: 'requests',
  });
  const interrupt = interruptSignal();
  try {
    const { signal } = interrupt;
    const results = await playSettings({ scenarios, flags, signal, say: () => {} });
    return results.map((result, i) => ({
      setting: i === 0 ? chosen.setting : settingIn(present, Object.keys(chosen.setting)),
      role: i === 0 ? 'chosen' : 'present',
      timeScale: flags.timeScale,
      target: result.environment.target,
      status: result.health.status,
      figures: PATHS.map((path) => compared(path, predicted[i] ?? [], result)),
    }));
  } finally {
    interrupt.release();
  }
}

/** What the tuned paths are now. */
function settingIn(scenario: Scenario, paths: readonly string[]): Setting {
  return Object.fromEntries(paths.map((path) => [path, valueAt(scenario, path)]));
}

function compared(path: string, runs: readonly Figures[], result: Result) {
  const predicted = bandOf(runs.map((run) => run[path] ?? null));
  const measured = numberOf(figureAt(result, path) ?? null);
  const isKnown = result.health.status === 'ok' && predicted !== null && measured !== null;
  const inside = isKnown ? liesInside(measured, predicted, grainOf(path, result)) : null;
  return { path, predicted, measured, inside };
}

/** One request, where the figure is a share of some. */
function grainOf(path: string, { outcomes }: Result): number {
  if (!path.startsWith('rates.')) return 0;
  const { offered, completed } = outcomes;
  return 1 / Math.max(1, numberOf(path === 'rates.breach' ? completed : offered) ?? 1);
}

/** 2.5 to 97.5 % of the runs. */
function bandOf(values: readonly (number | null)[]) {
  const numbers = values.filter((value) => value !== null);
  return replicated(Float64Array.from(numbers))?.band ?? null;
}
