import { UserError } from '../errors.ts';
import type { Result } from '../result/types.ts';
import { adviceOf, untrusted } from './advice.ts';
import type { Chart } from './chart.ts';
import { byAgeCharts } from './charts/by-age.ts';
import { leasesChart } from './charts/leases.ts';
import { overTimeCharts } from './charts/over-time.ts';
import { preemptsChart } from './charts/preempts.ts';
import { responseChart } from './charts/response.ts';
import { comparisonPage } from './comparison.ts';
import { chartFigure, type DrawnChart, drawCharts, pageDocument } from './document.ts';
import {
  badges,
  environmentSection,
  gateLine,
  healthSection,
  lossLine,
  provenance,
  replicationNote,
  scenarioSection,
} from './facts.ts';
import { isTrusted, whatHappened } from './headline.ts';
import { type Html, html } from './html.ts';
import { classTable, gateTable, outcomesTable, timesTable } from './tables.ts';

export interface PageOptions {
  /** Instead of the scenario's name. */
  readonly title?: string;
}

/**
 * One result as one HTML file that works from `file://`; several as a comparison with the first.
 * A run whose generator was limited gets no figure, only how to run it again.
 * @throws UserError where there is no result
 */
export async function renderPage(
  results: readonly Result[],
  options: PageOptions = {},
): Promise<string> {
  const [first] = results;
  if (first === undefined) throw new UserError('report: expected at least one result, got none');
  const trusted = results.filter(isTrusted);
  const [only] = trusted;
  if (only === undefined) return untrustedPage(results, options);
  if (trusted.length > 1) {
    return comparisonPage(
      trusted,
      results.filter((each) => !isTrusted(each)),
      options,
    );
  }
  return resultPage(only, options);
}

export function pageTitle(result: Result, { title }: PageOptions): string {
  return title ?? result.scenario.name;
}

/** The line above everything: which scenario, from where. */
export function topLine(results: readonly Result[], name: string, what: string): Html {
  return html`<header class="top"><p><b>${name}</b></p>${badges(results)}<p>${what}</p></header>`;
}

export const FOOTER = html`<footer>Made by loadline. Charts drawn by Vega (BSD-3-Clause, University of Washington Interactive Data Lab and contributors). This page loads nothing.</footer>`;

async function untrustedPage(results: readonly Result[], options: PageOptions): Promise<string> {
  const [first] = results;
  const name = first === undefined ? '' : pageTitle(first, options);
  const body = html`${topLine(results, name, 'not to be trusted')}
<main>${untrusted(results)}
${results.map((result) => html`${healthSection(result)}${environmentSection(result)}`)}</main>${FOOTER}`;
  return pageDocument({ title: `${name}: not to be trusted`, body, charts: [] });
}

async function resultPage(result: Result, options: PageOptions): Promise<string> {
  const name = pageTitle(result, options);
  const age = await drawCharts(byAgeCharts(result));
  const time = await drawCharts(overTimeCharts(result));
  const other = await drawCharts(otherCharts(result));
  const happened = whatHappened(result);
  const hasAdvice = result.verdicts.length > 0;
  const body = html`${topLine([result], name, gateLine(result))}
<main>
${hasAdvice ? adviceOf(result) : html`<h1>${happened}</h1>`}
${hasAdvice && html`<p class="happened">${happened}</p>`}
${lossLine(result)}
<p class="source">${provenance(result)}</p>
<section><h2>Figures</h2>${replicationNote(result)}
<div class="tables"><div class="half">${outcomesTable(result)}</div><div class="half">${gateTable(result)}</div>
<div>${timesTable(result)}</div><div>${classTable(result)}</div></div></section>
${chartSection('Against queue age', age)}
${chartSection('Over time', time)}
${chartSection('Times and leases', other)}
${healthSection(result)}
${scenarioSection(result)}
${environmentSection(result)}
</main>${FOOTER}`;
  const title = `${name}: ${result.verdicts[0]?.headline ?? happened}`;
  return pageDocument({ title, body, charts: [...age, ...time, ...other] });
}

function otherCharts(result: Result): Chart[] {
  const optional = [leasesChart(result), preemptsChart(result)];
  return [responseChart(result), ...optional.filter((chart) => chart !== undefined)];
}

function chartSection(title: string, charts: readonly DrawnChart[]): Html {
  return html`<section><h2>${title}</h2><div class="charts">${charts.map(chartFigure)}</div></section>`;
}
