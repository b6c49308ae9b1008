/**
 * Runbook 001 rehearsed. `published`: its script, with its environment. `corrected`: what it claims,
 * measured on the night of `preempt-night`; with `--live` its failures and its roll-back over HTTP.
 */
import { UserError } from '../errors.ts';
import type { Drill, DrillOptions, DrillReport } from './drill.ts';
import { appendLedger, playPublished, publishedOptions, pythonJson } from './preempt/published.ts';

export const preemptDrill: Drill = {
  name: 'preempt',
  summary: 'a free server takes its slots back in mid work (runbook 001)',
  ways: ['corrected', 'published'],
  modes: [],
  run: (options) => {
    if (options.as === 'published') return published(options, process.env);
    throw new UserError('not yet');
  },
};

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
  return { lines, steps: [], claims: [], notFor: [], json };
}
