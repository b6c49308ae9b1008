import { Command, CommanderError } from 'commander';
import { UserError } from '../errors.ts';
import { description, version } from './version.ts';

/** Makes one command, new each time: commander's are stateful. */
export type MakeCommand = () => Command;

/**
 * Parses the command line, runs what it asks for, and sets the exit code. Whatever goes wrong is
 * one line on stderr.
 */
export async function main(commands: readonly MakeCommand[], argv = process.argv): Promise<void> {
  quietWhenNobodyReads();
  try {
    await createProgram(commands).parseAsync(argv);
  } catch (error) {
    process.exitCode = complain(error);
  }
}

/** The program with its commands; parsing throws where commander would end the process. */
export function createProgram(commands: readonly MakeCommand[]): Command {
  const program = new Command('loadline')
    .description(description)
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showSuggestionAfterError()
    .configureOutput({ outputError: () => {} })
    .exitOverride()
    .action(() => program.help());
  program.allowExcessArguments(false);
  for (const make of commands) program.addCommand(make().copyInheritedSettings(program));
  return program;
}

/** A reader that has seen enough (`loadline … | head`) is no error. */
function quietWhenNobodyReads(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
    throw error;
  });
}

/** Says what went wrong; returns the exit code. */
function complain(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    say(oneLine(error.message.replace(/^error: /, '')));
    return 2;
  }
  if (error instanceof UserError) {
    say(oneLine(error.message));
    return error.exitCode;
  }
  const wants = process.env['LOADLINE_DEBUG'];
  if (wants !== undefined && wants !== '' && error instanceof Error) say(error.stack ?? '');
  else say(`${oneLine(String(error))} (LOADLINE_DEBUG=1 shows where)`);
  return 1;
}

function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ');
}

function say(text: string): void {
  process.stderr.write(`loadline: ${text}\n`);
}
