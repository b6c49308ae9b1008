import { parseTrace } from '../arrivals/trace/parse.ts';
import { fillTraces } from '../scenario/relative-files.ts';
import type { Scenario } from '../scenario/types.ts';

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
  return fillTraces(scenario, folder, (text, { file, format, unit }) => {
    const { rows, notes } = parseTrace(text, { format, unit });
    for (const each of notes) say(`${file}: ${each}`);
    return rows;
  });
}
