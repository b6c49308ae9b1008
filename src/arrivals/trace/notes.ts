import type { ParsedTrace } from './parse.ts';

const UNITS = { instant: 'calendar time', s: 'seconds', ms: 'milliseconds', us: 'microseconds' };
/** Lines that are named one by one. */
const NAMED_LINES = 10;

/** What a reader should know of a trace before it is replayed. */
export function notesOf(trace: Omit<ParsedTrace, 'notes'>): string[] {
  return [
    summary(trace),
    ...strayNotes(trace),
    ...tieNotes(trace),
    ...silenceNotes(trace),
    ...tokenNotes(trace),
    ...refusalNotes(trace),
    ...orderNotes(trace),
    ...rejectedNotes(trace),
  ];
}

function summary({ format, unit, figures }: Omit<ParsedTrace, 'notes'>): string {
  const { rows, spanS, ratePerS, scv, p2m10 } = figures;
  const gaps = `gaps SCV ${shown(scv)}, busiest 10 s ${shown(p2m10)} times the mean`;
  return `${format} trace read in ${UNITS[unit]}: ${rows} rows over ${shown(spanS)} s, ${shown(ratePerS)}/s, ${gaps}`;
}

function strayNotes({ strays }: Omit<ParsedTrace, 'notes'>): string[] {
  if (strays === null) return [];
  const { line, count, days } = strays;
  const whose = count === 1 ? 'its time stamp lies' : `it and ${count - 1} more lie`;
  return [
    `line ${line}: ${whose} ${shown(days)} days from the other rows (a wrong time stamp? rate and span count it)`,
  ];
}

function tieNotes({ figures: { tiedShare, resolutionS } }: Omit<ParsedTrace, 'notes'>): string[] {
  if (resolutionS === null) return [];
  const share = `${Math.round(tiedShare * 100)} % of arrivals share a timestamp`;
  const advice = `dequantiseS: ${resolutionS} spreads them`;
  return [`${share}; resolution looks like ${Math.round(resolutionS * 1000)} ms (${advice})`];
}

function silenceNotes({ figures: { silentGaps } }: Omit<ParsedTrace, 'notes'>): string[] {
  return silentGaps === 0 ? [] : [`${silentGaps} gaps are longer than 30 s: one SCV says little`];
}

function tokenNotes({ rows }: Omit<ParsedTrace, 'notes'>): string[] {
  const zero = rows.filter((row) => row.outTokens === 0).length;
  const blank = rows.filter((row) => row.outTokens === null || row.inTokens === null).length;
  return [
    ...(zero === 0 ? [] : [`${zero} rows have 0 output tokens (failed?): kept as arrivals`]),
    ...(blank === 0 ? [] : [`${blank} rows lack tokens: the class says how many`]),
  ];
}

function refusalNotes(trace: Omit<ParsedTrace, 'notes'>): string[] {
  const { format, refused, retries, unlinked, rows } = trace;
  if (refused === null) {
    // Without a status it is the log's own number of the try that says so, whatever came before.
    if (retries > 0) return [retriesNote(retries, rows.length, 'by their number of the try')];
    if (format !== 'csv') return [];
    return ['no column status: what was refused, and who came back, cannot be told'];
  }
  const share = (100 * refused) / rows.length;
  return [
    ...(refused === 0
      ? []
      : [
          `${refused} of ${rows.length} rows (${share.toFixed(1)} %) were turned away: what they asked for is drawn`,
        ]),
    ...(retries === 0 ? [] : [retriesNote(retries, rows.length, 'of refused ones')]),
    ...(unlinked === 0
      ? []
      : [
          `${unlinked} of them name neither caller nor prompt length: their retries count as demand`,
        ]),
  ];
}

function retriesNote(retries: number, rows: number, why: string): string {
  return `${retries} of ${rows} rows are taken for retries ${why} (arrivals.retries: kept or left-out)`;
}

function orderNotes({ outOfOrder }: Omit<ParsedTrace, 'notes'>): string[] {
  return outOfOrder === 0 ? [] : [`${outOfOrder} rows came before an earlier one: sorted by time`];
}

function rejectedNotes({ rejected }: Omit<ParsedTrace, 'notes'>): string[] {
  if (rejected.length === 0) return [];
  const named = rejected.slice(0, NAMED_LINES).map(({ line, reason }) => `line ${line}: ${reason}`);
  const more = rejected.length > NAMED_LINES ? `; ${rejected.length - NAMED_LINES} more` : '';
  return [`${rejected.length} lines rejected (${named.join('; ')}${more})`];
}

function shown(value: number | null): string {
  return value === null ? 'unknown' : String(Number(value.toPrecision(4)));
}
