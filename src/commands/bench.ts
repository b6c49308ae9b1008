import { Argument, Command } from 'commander';
import { UserError } from '../errors.ts';
import { askedFor, withAsked } from './asked.ts';
import { type LiveFlags, liveOptions, withLiveOptions } from './live-options.ts';
import { runLive } from './live-run.ts';
import { withLossSplit } from './loss-split.ts';
import {
  type OutputOptions,
  type ScenarioOptions,
  withOutputOptions,
  withScenarioOptions,
} from './options.ts';
import { judge, note, printResult } from './output.ts';
import { watchRun } from './progress.ts';
import { scenarioFrom } from './resolve.ts';
import { withVerdicts } from './run-facts.ts';
import { newRunPath, openRunFolder } from './run-folder.ts';
import { interruptSignal } from './signals.ts';

type BenchOptions = ScenarioOptions & OutputOptions & LiveFlags;

/** `loadline bench`: a scenario over real HTTP. */
export function benchCommand(): Command {
  const command = new Command('bench')
    .description('play a scenario over HTTP: against a stub behind the gate, or --endpoint')
    .addArgument(new Argument('[scenario]', 'a file, or the name of a shipped scenario'));
  return withLiveOptions(withOutputOptions(withScenarioOptions(command), 'folder')).action(run);
}

async function run(nameOrPath: string | undefined, options: BenchOptions): Promise<void> {
  const scenario = await scenarioFrom(nameOrPath, options);
  const live = liveOptions(options);
  const folder = openRunFolder(options.out ?? newRunPath(scenario.name), options.force ?? false);
  const interrupt = interruptSignal();
  try {
    const {
      result: played,
      schedule,
      why,
    } = await runLive(scenario, {
      ...live,
      folder,
      signal: interrupt.signal,
      say: (text) => note(text, options),
      ...(options.quiet === true
        ? {}
        : { meanwhile: (running) => watchRun(running, process.stderr) }),
    });
    const bare = withAsked(played, askedFor(nameOrPath, options, process.env));
    const result = withVerdicts(await withLossSplit(bare), schedule);
    const page = await folder.finish(result, schedule);
    await printResult(result, options);
    note(`page: ${page}`, options);
    if (why !== null) throw new UserError(`the run was cut short: ${why}`, 1);
    judge(result);
  } finally {
    interrupt.release();
    folder.abandon();
  }
}
