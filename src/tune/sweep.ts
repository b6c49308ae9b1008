import { type Figures, partsOf } from '../result/figures.ts';
import { createReplicator } from '../result/replicate.ts';
import type { Axis } from '../scenario/axis.ts';
import type { Scenario } from '../scenario/types.ts';
import { cutOffNotes } from './cut-off.ts';
import type { Evaluate } from './evaluate.ts';
import { pairedDifference } from './paired.ts';
import { gridOf, settingText, underSetting } from './setting.ts';
import type { Origin, Subject, SweepDocument, SweepSetting } from './types.ts';

export interface SweepRequest {
  readonly scenario: Scenario;
  /** SHA-256 of the scenario. */
  readonly digest: string;
  readonly axes: readonly Axis[];
  readonly replications: number;
  readonly evaluate: Evaluate;
  readonly origin: Origin;
}

/**
 * Every combination of the axes' values on the same arrivals.
 * @throws UserError where a path or a value does not fit the scenario
 */
export async function sweep(request: SweepRequest): Promise<SweepDocument> {
  const { scenario, axes, replications, evaluate } = request;
  const settings = gridOf(axes);
  const scenarios = settings.map((setting) => underSetting(scenario, setting));
  const runs = await evaluate({ scenarios, replications, figures: 'all' });
  const [first = []] = runs;
  return {
    schemaVersion: 1,
    kind: 'sweep',
    origin: request.origin,
    scenario: subjectOf(scenario, request.digest),
    seed: scenario.seed,
    replications,
    axes,
    settings: settings.map(
      (setting, i): SweepSetting => ({
        setting,
        figures: figuresOver(runs[i] ?? [], Object.keys(scenarios[i]?.classes ?? {})),
        difference: differences(runs[i] ?? [], first),
      }),
    ),
    notes: cutOffNotes(
      settings.map((setting, i) => ({ name: settingText(setting), runs: runs[i] ?? [] })),
    ),
  };
}

export function subjectOf(scenario: Scenario, digest: string): Subject {
  const { name, description, sloS, durationS, gate } = scenario;
  return { name, digest, description, sloS, durationS, slots: gate.slots };
}

/** One run as it is, several with their intervals. */
function figuresOver(runs: readonly Figures[], classNames: readonly string[]) {
  const [only] = runs;
  if (runs.length === 1 && only !== undefined) return partsOf(only, classNames);
  const replicator = createReplicator();
  for (const run of runs) replicator.add(run);
  return partsOf(replicator.figures(), classNames);
}

function differences(runs: readonly Figures[], first: readonly Figures[]) {
  const of = (path: string) =>
    pairedDifference(
      runs.map((run) => run[path] ?? null),
      first.map((run) => run[path] ?? null),
    );
  return {
    rejection: of('rates.rejection'),
    breach: of('rates.breach'),
    goodput: of('rates.goodput'),
  };
}
