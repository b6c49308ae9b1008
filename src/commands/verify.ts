import { UserError } from '../errors.ts';
import { figureAt, numberOf } from '../result/figure.ts';
import type { Figures } from '../result/figures.ts';
import type { Result } from '../result/types.ts';
import type { Scenario } from '../scenario/types.ts';
import type { Evaluate } from '../tune/evaluate.ts';
import { giveOrTakeOne, jointBand, liesInside } from '../tune/inside.ts';
import { type Setting, valueAt } from '../tune/setting.ts';
import type { Verification } from '../tune/types.ts';
import type { LiveFlags } from './live-options.ts';
import { interruptSignal } from './signals.ts';

/** What is predicted and then measured. */
const PATHS = ['rates.rejection', 'rates.breach', 'responseS.p95'] as const;
/** So many that the ends of a band are no single runs. */
const REPLICATIONS = 1000;

/**
 * Plays the chosen setting and the present one for real, once where they are one, and holds them to
 * the predicted bands: 95 % for all figures together.
 * @param say told what will be sent, before anything is, and what is played
 */
export async function verifyLive(
  chosen: { readonly scenario: Scenario; readonly setting: Setting },
  present: Scenario,
  flags: LiveFlags,
  evaluate: Evaluate,
  say: (text: string) => void,
): Promise<Verification[]> {
  const same = JSON.stringify(chosen.scenario) === JSON.stringify(present);
  const scenarios = same ? [chosen.scenario] : [chosen.scenario, present];
  const predicted = await evaluate({
    scenarios,
    replications: REPLICATIONS,
    figures: 'requests',
  });
  const interrupt = interruptSignal();
  try {
    const { signal } = interrupt;
    // Loaded where it is asked for: half of what a tuning in virtual time would load.
    const { playSettings } = await import('./live-setting.ts');
    const results = await playSettings({ scenarios, flags, signal, say });
    return results.map((result, i) => ({
      setting: i === 0 ? chosen.setting : settingIn(present, Object.keys(chosen.setting)),
      role: i === 0 ? 'chosen' : 'present',
      timeScale: flags.timeScale,
      target: result.environment.target,
      status: result.health.status,
      figures: PATHS.map((path) => compared(path, predicted[i] ?? [], result, scenarios.length)),
    }));
  } finally {
    interrupt.release();
  }
}

/** What the tuned paths are now. */
function settingIn(scenario: Scenario, paths: readonly string[]): Setting {
  return Object.fromEntries(paths.map((path) => [path, valueAt(scenario, path)]));
}

function compared(path: string, runs: readonly Figures[], result: Result, settings: number) {
  const band = jointBand(
    runs.flatMap((run) => run[path] ?? []),
    PATHS.length * settings,
  );
  const n = sharedBy(path, result);
  const predicted = band === null || n === null ? band : giveOrTakeOne(band, n);
  const measured = numberOf(figureAt(result, path) ?? null);
  const isKnown = result.health.status === 'ok' && predicted !== null && measured !== null;
  const inside = isKnown ? liesInside(measured, predicted) : null;
  return { path, predicted, measured, inside };
}

/** Requests that a figure is a share of; null where it is none. */
function sharedBy(path: string, { outcomes }: Result): number | null {
  if (!path.startsWith('rates.')) return null;
  const { offered, completed } = outcomes;
  return numberOf(path === 'rates.breach' ? completed : offered) ?? 1;
}

/** @throws UserError where Ctrl-C ended a check: what was asked for was not done, as in `bench` and `sweep` */
export function refuseCutShort(verification: readonly Verification[]): void {
  if (verification.every(({ status }) => status !== 'interrupted')) return;
  throw new UserError('the live check was cut short: interrupted', 1);
}
