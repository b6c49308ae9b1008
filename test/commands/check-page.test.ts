import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import { checkPage } from '../../src/commands/check-page.ts';
import { pageOf } from '../../src/commands/page.ts';
import { readRun } from '../../src/commands/read-run.ts';
import { withVerdicts } from '../../src/commands/run-facts.ts';
import { openRunFolder } from '../../src/commands/run-folder.ts';
import { simulateResult } from '../../src/commands/simulate.ts';
import { version } from '../../src/commands/version.ts';
import type { Result } from '../../src/result/types.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

const scenario = parseScenario({
  ...{ name: 'page', durationS: 30, arrivals: { process: 'poisson', ratePerS: 2 } },
  ...{ gate: { slots: 2, maxWaitS: 2 }, model: { service: { exponential: 1.5 } } },
});
let place = '';
let result: Result;
let written = '';
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'loadline-page-'));
  const schedule = buildSchedule(scenario);
  const run = withVerdicts(simulateResult(scenario), schedule);
  await openRunFolder(join(place, 'run'), false).finish(run, schedule);
  result = readRun(join(place, 'run')).result;
  written = await pageOf([result]);
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** What is found of a page. */
async function foundIn(page: string) {
  const file = join(place, 'report.html');
  writeFileSync(file, page);
  const again = await checkPage(result, file);
  return 'notAgain' in again ? again : again.violations.map(({ evidence }) => evidence);
}

it('the page of a run as it was written is the one that its result gives', async () => {
  expect(await checkPage(result, join(place, 'run', 'report.html'))).toEqual({ violations: [] });
});

it('a page that was edited is found out: the line, what it says, what it should', async () => {
  const edited = written.replace(/(<h1>)/, '$1Buy nothing. ');
  expect(await foundIn(edited)).toEqual([
    expect.stringMatching(
      /^report\.html line \d+ says "<h1>Buy nothing\. .*", result\.json gives "/,
    ),
  ]);
  expect(await foundIn(written.slice(0, -10))).toHaveLength(1);
});

it('a page that was made again under another title is no edited one', async () => {
  expect(await foundIn(await pageOf([result], `Night of <b> & "Q3.results" isn't`))).toEqual([]);
});

it.each([
  ['', 'it does not say which loadline made it'],
  [
    '<meta name="generator" content="loadline 0.0.1">',
    `made by loadline 0.0.1, this is loadline ${version}`,
  ],
])('a page with %j as its maker is not compared, and it says why', async (maker, why) => {
  const other = written
    .replace(/<meta name="generator"[^>]*>/, maker)
    .replace('<h1>', '<h1>Other ');
  expect(await foundIn(other)).toEqual({ notAgain: why });
});
