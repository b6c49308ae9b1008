/** Whether the page of a run is the one that its result gives. */
import { readFileSync } from 'node:fs';
import { type Violation, Violations } from '../ledger/laws.ts';
import { unescapeHtml } from '../report/html.ts';
import type { Result } from '../result/types.ts';
import { briefly } from './differences.ts';
import { MAKER, pageOf } from './page.ts';

/** What a second page showed, or why there was none. */
export type PageAgain =
  | { readonly violations: readonly Violation[] }
  | { readonly notAgain: string };

/**
 * Law 5: made again, the page is the same to the last sign. One of another loadline is not compared:
 * it may rightly look otherwise.
 */
export async function checkPage(result: Result, file: string): Promise<PageAgain> {
  const page = readFileSync(file, 'utf8');
  const maker = firstOf(page, /<meta name="generator" content="([^"]*)">/);
  if (maker === undefined) return { notAgain: 'it does not say which loadline made it' };
  if (maker !== MAKER) return { notAgain: `made by ${maker}, this is ${MAKER}` };
  const again = await pageOf([result], firstOf(page, /<header class="top"><p><b>(.*?)<\/b>/));
  const violations = new Violations();
  if (page !== again) violations.add(5, whereParted(page, again));
  return { violations: violations.found };
}

/** A title that was given is nowhere but on the page. */
function firstOf(page: string, pattern: RegExp): string | undefined {
  const found = pattern.exec(page)?.[1];
  return found === undefined ? undefined : unescapeHtml(found.replaceAll('<wbr>', ''));
}

function whereParted(page: string, again: string): string {
  const [own, other] = [page.split('\n'), again.split('\n')];
  let at = 0;
  while (at < own.length && own[at] === other[at]) at++;
  const [says, gives] = briefly(own[at], other[at]);
  return `report.html line ${at + 1} says ${says}, result.json gives ${gives}`;
}
