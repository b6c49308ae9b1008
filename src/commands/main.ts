import { Command, CommanderError } from 'commander';
import { printable, UserError } from '../errors.ts';
import { endWithClosedTerminals } from './closed-terminals.ts';
import { description, version } from './version.ts';

/** Loads and makes commands by name, new each time: commander's are stateful. */
export type Commands = Readonly<Record<string, () => Promise<Command>>>;

/**
 * Parses the command line, runs what it asks for, and sets the exit code. Whatever goes wrong is
 * one line on stderr.
 */
export async function main(commands: Commands, argv = process.argv): Promise<void> {
  quietWhenNobodyReads();
  endWithClosedTerminals();
  try {
    const program = createProgram();
    for (const make of asked(commands, argv[2])) {
      program.addCommand((await make()).copyInheritedSettings(program));
    }
    if (argv.length <= 2) program.help();
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = complain(error);
  }
}

/** The one that is named, or all where the help lists them or a name has to be guessed. */
function asked(commands: Commands, name = '') {
  const named = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return named === undefined ? Object.values(commands) : [named];
}

/** The program without its commands; parsing throws where commander would end the process. */
function createProgram(): Command {
  const program = new Command('loadline')
    .description(description)
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showSuggestionAfterError()
    .configureOutput({ outputError: () => {} })
    .exitOverride();
  return program;
}

/**
 * A reader that has seen enough (`loadline … | head`) is no error. Nor is a terminal that was closed:
 * what was measured until then is still written.
 */
function quietWhenNobodyReads(): void {
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (process.stdout.isTTY) return;
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
    say(`stdout: expected that it can be written, got ${error.code ?? error.message}`);
    process.exit(1);
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
    say(oneLine(error.message, '; '));
    return error.exitCode;
  }
  const wants = process.env['LOADLINE_DEBUG'];
  if (wants !== undefined && wants !== '' && error instanceof Error) say(error.stack ?? '');
  else say(`${oneLine(String(error))} (LOADLINE_DEBUG=1 shows where)`);
  return 1;
}

/** @param between what stands where a line ended: several problems are told apart by a semicolon */
function oneLine(text: string, between = ' '): string {
  return text.trim().replace(/\s*\n\s*/g, between);
}

function say(text: string): void {
  process.stderr.write(`loadline: ${printable(text)}\n`);
}
