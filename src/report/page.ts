import { UserError } from '../errors.ts';
import type { Result } from '../result/types.ts';
import { adviceOf, untrusted } from './advice.ts';
import type { Chart } from './chart.ts';
import { byAgeCharts } from './charts/by-age.ts';
import { leasesChart } from './charts/leases.ts';
import { overTimeCharts } from './charts/over-time.ts';
import { preemptSlackChart, preemptsChart } from './charts/preempts.ts';
import { responseChart, waitChart } from './charts/response.ts';
import { comparisonPage } from './comparison.ts';
import { drawCharts, pageDocument } from './document.ts';
import {
  environmentSection,
  gateLine,
  healthSection,
  lossLine,
  provenance,
  replicationNote,
  scenarioSection,
} from './facts.ts';
import { isTrusted, whatHappened } from './headline.ts';
import { html } from './html.ts';
import { chartSection, type PageOptions, topLine } from './parts.ts';
import { classTable, gateTable, messagesTable, outcomesTable, timesTable } from './tables.ts';

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

function pageTitle(result: Result, { title }: PageOptions): string {
  return title ?? result.scenario.name;
}

async function untrustedPage(results: readonly Result[], options: PageOptions): Promise<string> {
  const [first] = results;
  const name = first === undefined ? '' : pageTitle(first, options);
  const body = html`${topLine(results, name, 'not to be trusted')}
<main>${untrusted(results)}
${results.map((result) => html`${healthSection(result)}${environmentSection(result)}`)}</main>`;
  return pageDocument({
    title: `${name}: not to be trusted`,
    body,
    charts: [],
    maker: options.maker,
  });
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
<div>${timesTable(result)}</div><div>${classTable(result)}</div><div>${messagesTable(result)}</div></div></section>
${chartSection('Against queue age', age)}
${chartSection('Over time', time)}
${chartSection('Times', other)}
${healthSection(result)}
${scenarioSection(result)}
${environmentSection(result)}
</main>`;
  const title = `${name}: ${result.verdicts[0]?.headline ?? happened}`;
  return pageDocument({
    ...{ title, body, maker: options.maker },
    charts: [...age, ...time, ...other],
  });
}

function otherCharts(result: Result): Chart[] {
  const optional = [leasesChart(result), preemptsChart(result), preemptSlackChart(result)];
  return [
    responseChart(result),
    waitChart(result),
    ...optional.filter((chart) => chart !== undefined),
  ];
}
