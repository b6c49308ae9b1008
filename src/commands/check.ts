import { existsSync } from 'node:fs';
import { Argument, Command } from 'commander';
import { UserError } from '../errors.ts';
import type { Violation } from '../ledger/laws.ts';
import { stableJson } from '../result/json.ts';
import type { Result } from '../result/types.ts';
import { checkConclusions } from './check-conclusions.ts';
import { drawnAgain } from './check-drawn.ts';
import { checkEvidence, FOLDED } from './check-evidence.ts';
import { checkPage } from './check-page.ts';
import { isOurs } from './check-result.ts';
import { checkSimulated } from './check-simulated.ts';
import { counted } from './counted.ts';
import { print } from './output.ts';
import { type ReadRun, readRun } from './read-run.ts';

/** What was looked at in one run, and what was found. */
export interface CheckedRun {
  readonly run: string;
  /** Evidence that the run has, and what was made again. */
  readonly checked: readonly string[];
  /** What stands in the folder and nothing vouches for. */
  readonly unchecked: readonly string[];
  /** Why something that is usually looked at was not. */
  readonly notes: readonly string[];
  readonly violations: readonly Violation[];
}

type Found = Pick<CheckedRun, 'checked' | 'notes' | 'violations'>;

/** `loadline check`: do the laws hold on the evidence of a run, and is all the rest what it gives? */
export function checkCommand(): Command {
  return new Command('check')
    .description('check the laws on the evidence of runs, and make again what was made of it')
    .addArgument(new Argument('<run...>', 'folders of runs'))
    .option('--json', 'print what was found as JSON')
    .action(run);
}

async function run(paths: readonly string[], { json }: { json?: boolean }): Promise<void> {
  const checked: CheckedRun[] = [];
  // All are read first: what is no run is said before anything is worked out.
  for (const each of paths.map(readRun)) checked.push(await checkRun(each));
  await print(json === true ? stableJson(checked) : checked.map(textOf).join(''));
  const count = checked.reduce((sum, { violations }) => sum + violations.length, 0);
  if (count > 0) throw new UserError(`${violationsText(count)} of the laws`, 1);
}

/**
 * Checks whatever evidence a run has; a simulation by another; then what was made of the figures, and
 * the page. What rests on something that does not hold is not looked at.
 */
export async function checkRun({ name, folder, page, result }: ReadRun): Promise<CheckedRun> {
  const { schedule, ...evidence } = await checkEvidence(folder, result);
  const steps = [
    () => (result.engine === 'sim' ? simulation(result) : NOTHING),
    () => checkConclusions(result, schedule ?? drawnAgain(result)),
    () => (existsSync(page) ? drawnPage(result, page) : NOTHING),
  ];
  let found: Found = { ...evidence, notes: [] };
  for (const step of steps) {
    if (found.violations.length > 0) break;
    const { checked, notes, violations } = await step();
    found = {
      checked: [...found.checked, ...checked],
      notes: [...found.notes, ...notes],
      violations,
    };
  }
  return { run: name, ...found, unchecked: uncheckedIn(result, page, found.checked) };
}

const NOTHING: Found = { checked: [], notes: [], violations: [] };

function simulation(result: Result): Found {
  const again = checkSimulated(result);
  return 'notAgain' in again
    ? { ...NOTHING, notes: [`not simulated again: ${again.notAgain}`] }
    : { ...NOTHING, checked: [SIMULATED], violations: again.violations };
}

async function drawnPage(result: Result, file: string): Promise<Found> {
  const again = await checkPage(result, file);
  return 'notAgain' in again
    ? { ...NOTHING, notes: [`report.html not made again: ${again.notAgain}`] }
    : { ...NOTHING, checked: [PAGE], violations: again.violations };
}

const SIMULATED = 'simulated again';
const PAGE = 'report.html';

/** Who reads "ok" has to know of what. */
function uncheckedIn(result: Result, page: string, checked: readonly string[]): string[] {
  const { engine, environment } = result;
  const isSimulated = checked.includes(SIMULATED);
  const isFigured = isSimulated || checked.includes(FOLDED);
  // Of a simulation all but the words that asked for it is known beforehand.
  const asked = environment.asked === undefined ? [] : ['environment.asked'];
  const conclusions = [
    ['lossSplit', result.lossSplit === null],
    ['verdicts', result.verdicts.length === 0],
    [PAGE, !existsSync(page)],
  ] as const;
  return [
    ...(isFigured ? [] : ['figures']),
    ...(isFigured && isOurs(result) ? [] : ['health.notes']),
    ...(isSimulated && engine === 'sim' ? asked : ['environment']),
    ...conclusions
      .filter(([part]) => !checked.includes(part))
      .map(([part, isNone]) => (isNone ? `${part} (none there)` : part)),
  ];
}

function violationsText(count: number): string {
  return counted(count, 'violation');
}

function textOf({ run: name, checked, unchecked, notes, violations }: CheckedRun): string {
  const verdict = violations.length === 0 ? 'ok' : violationsText(violations.length);
  const but = unchecked.length === 0 ? '' : `; not checked: ${unchecked.join(', ')}`;
  const what = checked.length === 0 ? 'nothing to check' : checked.join(', ');
  const lines = violations.map(
    ({ law, name: text, evidence }) => `  law ${law}, ${text}: ${evidence}\n`,
  );
  const asides = notes.map((note) => `  ${note}\n`);
  return `${name}: ${verdict} (${what}${but})\n${[...asides, ...lines].join('')}`;
}
