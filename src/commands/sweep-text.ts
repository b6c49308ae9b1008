/** What is told of a sweep, and of a replay, which is one: the same in both. */
import { cadencesOf, cadenceText } from '../report/cadence.ts';
import { comparedOf } from '../report/compared.ts';
import { alsoOn } from '../report/rules-on.ts';
import { sweepSummary } from '../report/sweep-headline.ts';
import type { Scenario } from '../scenario/types.ts';
import { sweepTable } from '../tune/sweep-table.ts';
import type { SweepDocument } from '../tune/types.ts';

/**
 * The document with the rules that stay on in every row first among its notes, and its text, in
 * which they stand above the table.
 */
export function toldSweep(
  swept: SweepDocument,
  { gate }: Pick<Scenario, 'gate'>,
): { readonly document: SweepDocument; readonly text: string } {
  const paths = swept.axes.map(({ path }) => path);
  const on = alsoOn(gate, paths);
  const document = { ...swept, notes: [...on, ...swept.notes] };
  const above = on.map((line) => `${line}\n\n`).join('');
  const below = `${summaryLines(document)}${cadenceLines(document)}`;
  return { document, text: `${above}${sweepTable(swept)}\n${below}` };
}

/** As the page says it. */
function summaryLines(document: SweepDocument): string {
  const { headline, evidence } = sweepSummary(document);
  return `${[headline, ...evidence.map((each) => `  ${each}`)].join('\n')}\n`;
}

/** Where the checkpoint gap was swept: the best, and how far it may be missed. */
function cadenceLines(document: SweepDocument): string {
  return cadencesOf(comparedOf(document).document)
    .map((cadence) => `  ${cadenceText(cadence)}\n`)
    .join('');
}
