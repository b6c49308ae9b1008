import { Argument, Command } from 'commander';
import { buildSchedule } from '../arrivals/build.ts';
import { askedFor, withAsked } from './asked.ts';
import { withLossSplit } from './loss-split.ts';
import {
  type OutputOptions,
  type ScenarioOptions,
  wholeNumber,
  withOutputOptions,
  withScenarioOptions,
} from './options.ts';
import { judge, note, printResult } from './output.ts';
import { scenarioFrom } from './resolve.ts';
import { withVerdicts } from './run-facts.ts';
import { openRunFolder } from './run-folder.ts';
import { simulateResult } from './simulate.ts';

interface SimOptions extends ScenarioOptions, OutputOptions {
  readonly replications: number;
  readonly direct?: boolean;
}

/** `loadline sim`: a scenario in virtual time. */
export function simCommand(): Command {
  const command = new Command('sim')
    .description('play a scenario in virtual time')
    .addArgument(new Argument('[scenario]', 'a file, or the name of a shipped scenario'))
    .option(
      '-n, --replications <number>',
      'runs with other seeds: means, intervals and bands',
      wholeNumber(1, 1_000_000),
      1,
    )
    .option('--direct', 'without the gate');
  return withOutputOptions(withScenarioOptions(command), 'folder').action(run);
}

async function run(nameOrPath: string | undefined, options: SimOptions): Promise<void> {
  const scenario = await scenarioFrom(nameOrPath, options);
  const { out, force = false, replications, direct = false } = options;
  const folder = out === undefined ? undefined : openRunFolder(out, force);
  try {
    const schedule = buildSchedule(scenario);
    const simulated = simulateResult(scenario, { replications, direct });
    const bare = withAsked(simulated, askedFor(nameOrPath, options, process.env));
    const result = withVerdicts(await withLossSplit(bare), schedule);
    const page = await folder?.finish(result, schedule);
    await printResult(result, options);
    if (page !== undefined) note(`page: ${page}`, options);
    judge(result);
  } finally {
    folder?.abandon();
  }
}
