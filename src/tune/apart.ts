/** What one setting for several gates costs each of them: what a gate alone would be set to. */
import { choose, FLAT } from './choose.ts';
import type { Decision } from './decide.ts';
import type { Found } from './find.ts';
import { floorsIn, refuseBelow } from './floors.ts';
import type { GateAdvice } from './gates.ts';
import { line, pcPair } from './recommend-parts.ts';
import type { TuneRequest } from './request.ts';
import { type Setting, settingText } from './setting.ts';
import type { Recommendation } from './types.ts';
import { inScenarios, meanOf, type Trial } from './weigh.ts';

/** A gate that is worse off with what is advised than with the best of what was tried for it alone. */
export interface Apart {
  readonly scenarios: readonly string[];
  /** The best for it alone. */
  readonly setting: Setting;
  /** Of offered, in the scenario that gives up most. */
  readonly goodput: number;
  /** The same under what is advised: the common setting, or what it has where none is allowed. */
  readonly advised: number;
  /** Whether a common setting is advised at all. */
  readonly hasCommon: boolean;
}

type Tried = Pick<Found, 'trials' | 'floors' | 'baselines' | 'evidence'>;

/** Of several gates those that lose more than .01 of offered, or keep what is not allowed, for the others' sake. */
export function apartOf(
  { trials, floors, baselines, evidence }: Tried,
  { chosen, gates }: Pick<Decision, 'chosen' | 'gates'>,
  { scenarios, objective }: Pick<TuneRequest, 'scenarios' | 'objective'>,
): Apart[] {
  if (gates.length < 2 || !evidence.enough) return [];
  return gates.flatMap((gate): Apart[] => {
    const places = gate.scenarios.map((scenario) => scenarios.indexOf(scenario));
    const refuse = refuseBelow(floorsIn(floors, ...places));
    const own = trials.map((trial) => inScenarios(trial, places));
    const best = choose(own, objective, refuse).chosen?.trial;
    if (best === undefined) return [];
    const advised = inScenarios(adviceFor(gate, chosen, baselines.present), places);
    const given = advised.loss.map((loss, s) => meanOf(loss) - meanOf(best.loss[s] ?? []));
    const most = given.indexOf(Math.max(...given));
    const isAllowed = choose([advised], objective, refuse).chosen !== undefined;
    if (isAllowed && (given[most] ?? 0) <= FLAT) return [];
    const served = ({ goodput }: Trial) => meanOf(goodput[most] ?? []);
    return [
      {
        scenarios: gate.scenarios.map(({ name }) => name),
        setting: best.setting,
        goodput: served(best),
        advised: served(advised),
        hasCommon: chosen !== undefined,
      },
    ];
  });
}

function adviceFor({ action }: GateAdvice, chosen: Trial | undefined, present: Trial): Trial {
  return action === 'keep' || chosen === undefined ? present : chosen;
}

/** With `TUNE a8 APART` in the headline, and in a line `APART` what each gate would be set to alone. */
export function withApart(recommendation: Recommendation, apart: readonly Apart[]): Recommendation {
  if (apart.length === 0) return recommendation;
  const { headline, lines } = recommendation;
  const names = apart.map(({ scenarios }) => scenarios.join(', '));
  const at = lines.findIndex(({ name }) => name === 'WHY');
  return {
    ...recommendation,
    headline: `${headline} TUNE ${names.join(' AND ')} APART.`,
    lines: [
      ...lines.slice(0, at),
      line('APART', apart.map(apartText).join('; ')),
      ...lines.slice(at),
    ],
  };
}

function apartText({ scenarios, setting, goodput, advised, hasCommon }: Apart): string {
  const [alone, here] = pcPair(goodput, advised);
  const than = hasCommon ? `here ${here}` : `now ${here}`;
  return `${scenarios.join(', ')} alone serves ${alone} of offered with ${settingText(setting)}, ${than}`;
}
