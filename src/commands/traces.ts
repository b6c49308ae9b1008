import { replayedRows } from '../arrivals/replayed.ts';
import { parseTrace } from '../arrivals/trace/parse.ts';
import { streamKey } from '../random.ts';
import { fillTraces, type Trace } from '../scenario/relative-files.ts';
import { traceNotes } from '../scenario/trace-notes.ts';
import type { Scenario, TraceRow } from '../scenario/types.ts';
import { withLoggedServices } from './logged-services.ts';

/**
 * The scenario with its recorded arrivals read in.
 * @param folder what the paths of traces are relative to
 * @param say told what a reader of the figures should know: units, ties, lines that were left out
 * @throws UserError where a trace cannot be read
 */
export function withTraces(
  scenario: Scenario,
  folder: string,
  say: (text: string) => void,
): Scenario {
  const known = new Set(traceNotes(scenario));
  const filled = fillTraces(scenario, folder, (text, trace) => {
    const { rows, notes } = parseTrace(text, trace);
    return { rows, notes: [...notes, ...leftOut(trace, rows, scenario)] };
  });
  for (const each of traceNotes(filled)) if (!known.has(each)) say(each);
  return withLoggedServices(filled);
}

/** A trace is seldom as long as a run: who asks for an hour of it should not get five minutes unawares. */
function leftOut(trace: Trace, rows: readonly TraceRow[], { durationS, seed }: Scenario): string[] {
  const asked = trace.limit === null ? rows.length : Math.min(trace.limit, rows.length);
  const retries =
    trace.retries === 'kept'
      ? 0
      : rows.slice(0, asked).filter(({ retry }) => retry === true).length;
  const all = { ...trace, rows, retries: 'kept' } as const;
  const whole = replayedRows(all, durationS, streamKey(seed, 'trace'));
  const beyond = asked - whole.timesUs.length;
  return [
    ...(asked === rows.length ? [] : [`limit ${asked}: ${rows.length - asked} rows left out`]),
    ...(retries === 0 ? [] : [`${retries} rows that are taken for retries left out`]),
    ...(beyond === 0
      ? []
      : [`${beyond} rows come at or after durationS ${durationS}: left out (--duration)`]),
  ];
}
