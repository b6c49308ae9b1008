/**
 * Runbook 001 rehearsed. `published`: its script, with its environment. `corrected`: what it claims,
 * measured on the night of `preempt-night`; with `--live` its failures and its roll-back over HTTP.
 */
import { UserError } from '../errors.ts';
import { loadScenario } from '../scenario/load.ts';
import { resolveScenario } from '../scenario/resolve.ts';
import type { Scenario } from '../scenario/types.ts';
import { claimsLine, type Drill, type DrillOptions, type DrillReport } from './drill.ts';
import { measurePreempts, PREEMPT_NOT_FOR, preemptClaims } from './preempt/claims.ts';
import { playPreempts } from './preempt/live.ts';
import { appendLedger, playPublished, publishedOptions, pythonJson } from './preempt/published.ts';
import { simulatedRun } from './simulated-run.ts';

export const preemptDrill: Drill = {
  name: 'preempt',
  summary: 'a free server takes its slots back in mid work (runbook 001)',
  ways: ['corrected', 'published'],
  modes: [],
  run: (options) => {
    if (options.as === 'published') return published(options, process.env);
    return corrected(options);
  },
};

/** A drill is always the same, whatever the environment says of thresholds. */
async function night(...sets: string[]): Promise<Scenario> {
  const { input } = await loadScenario('preempt-night');
  return resolveScenario({ input, env: {}, flags: {}, sets });
}

/** Short tasks, whose worker is lost by the drill and by nothing else. */
const LIVE_SETS = [
  ...['model.preempts={"type":"none"}', 'model.service.tokens.gapS=.02'],
  ...['model.checkpointTokens=50', 'model.checkpointCostS=0', 'classes.batch.outTokens=150'],
];

async function corrected(options: DrillOptions): Promise<DrillReport> {
  const claims = preemptClaims(await measurePreempts(options.seed));
  const played = options.live ? await playPreempts(await night(...LIVE_SETS), options) : undefined;
  const steps = played?.steps ?? [];
  const order = played?.order ?? [];
  const seeds = options.seed === undefined ? [] : [`seed=${options.seed}`];
  const simulated = options.live ? undefined : await simulatedRun(await night(...seeds), options);
  const where = played === undefined ? [] : [`ledgers: ${played.folder}`];
  return {
    head: [
      'Set the checkpoint gap from the preempt rate and the cost of a checkpoint, not from slack (docs/preempts.md).',
      claimsLine(claims),
    ],
    lines: [
      ...(played === undefined ? ['simulated; --live freezes, kills, fills and cuts'] : order),
      ...where,
    ],
    steps,
    claims,
    notFor: PREEMPT_NOT_FOR,
    json: { as: 'corrected', steps, order, claims },
    ...(simulated === undefined
      ? {}
      : { run: { result: simulated.result, schedule: simulated.schedule } }),
    ...(simulated?.page === undefined ? {} : { page: simulated.page }),
  };
}

/** What the script prints and nothing else, so that it may be compared with it. */
async function published(
  { live, say }: DrillOptions,
  env: Readonly<Record<string, string | undefined>>,
): Promise<DrillReport> {
  if (live) {
    throw new UserError(
      '--live: expected --as corrected, got --as published (a script in virtual time)',
    );
  }
  const events = playPublished(publishedOptions(env), Date.now());
  const lines = events.map(pythonJson);
  const path = env['LEDGER_PATH'] ?? '';
  if (path !== '') {
    appendLedger(path, lines);
    say(`ledger: ${path} (read it with: loadline ledger ${path})`);
  }
  const json = events.map(({ ts_ms: _stamp, ...event }) => event);
  return { head: [], lines, steps: [], claims: [], notFor: [], json };
}
