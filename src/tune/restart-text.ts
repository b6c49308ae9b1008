/** What is advised of the restart rules beside what is tuned: another setting that serves more is never left out. */
import type { Scenario } from '../scenario/types.ts';
import { bare, line, pcPair } from './recommend-parts.ts';
import type { Loosening } from './restarts.ts';
import { settingText, valueAt } from './setting.ts';
import type { Recommendation } from './types.ts';

/** With looser restart rules in the headline, and in a line `RULES` with what they serve, where that is notably more. */
export function withLoosening(
  recommendation: Recommendation,
  loosening: Loosening | undefined,
  present: Scenario,
): Recommendation {
  const { action, headline, lines } = recommendation;
  if (loosening === undefined || action === 'not-enough-evidence') return recommendation;
  const { setting } = loosening;
  const paths = Object.keys(setting);
  const before = Object.fromEntries(paths.map((path) => [path, valueAt(present, path)]));
  const order = `LOOSEN THE RESTART RULES: ${settingText(setting)} (now ${settingText(before)}).`;
  const body = Object.fromEntries(paths.map((path) => [bare(path), setting[path]]));
  const [now, then] = pcPair(loosening.present, loosening.goodput);
  const text = `${present.name}: with ${settingText(setting)}, and else as it is, goodput ${then} of offered; now ${now}: PUT /admin/policy ${JSON.stringify(body)}. Else UNDO: ${settingText(before)}`;
  const at = 1 + lines.findIndex(({ name }) => name === 'WHY');
  return {
    ...recommendation,
    headline: `${headline} ${order}`,
    lines: [...lines.slice(0, at), line('RULES', text), ...lines.slice(at)],
  };
}
