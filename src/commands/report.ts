import { Argument, Command } from 'commander';
import type { OutputOptions } from './options.ts';
import { checkOutFiles, writeOutFiles } from './out-files.ts';
import { print } from './output.ts';
import { pageOf } from './page.ts';
import { readRun } from './read-run.ts';

interface ReportOptions extends Pick<OutputOptions, 'out'> {
  readonly title?: string;
}

/** `loadline report`: the page of a run again, or of several side by side. */
export function reportCommand(): Command {
  return new Command('report')
    .description('make the page of a run again, or one page that compares several')
    .addArgument(new Argument('<run...>', 'folders of runs, or their result.json'))
    .option('-o, --out <file>', 'where the page is written; of one run: into its folder')
    .option('--title <text>', 'instead of the name of the scenario')
    .action(run);
}

async function run(paths: readonly string[], options: ReportOptions): Promise<void> {
  const runs = paths.map(readRun);
  const only = runs.length === 1 ? runs[0]?.page : undefined;
  const out = options.out ?? only ?? 'report.html';
  checkOutFiles([out], true);
  const text = await pageOf(
    runs.map(({ result }) => result),
    options.title,
  );
  writeOutFiles({ [out]: text });
  await print(`${out}\n`);
}
