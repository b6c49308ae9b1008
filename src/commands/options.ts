/** Flags that several commands share, and how their values are read. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { SCENARIO_FLAGS } from '../scenario/flags.ts';

/** What the flags of a scenario leave behind. */
export interface ScenarioOptions {
  readonly set: readonly string[];
  readonly [flag: string]: unknown;
}

/** What the flags of the output leave behind. */
export interface OutputOptions {
  readonly json?: boolean;
  readonly out?: string;
  readonly quiet?: boolean;
  readonly force?: boolean;
}

/**
 * The flags that build or change a scenario, and `--set`.
 * @param without beginnings of paths that mean nothing to the command: taken, and not in its help
 */
export function withScenarioOptions(command: Command, without: readonly string[] = []): Command {
  for (const flag of SCENARIO_FLAGS) {
    const help = flag.env === undefined ? flag.help : `${flag.help} (${flag.env})`;
    const isIdle = without.some((beginning) => flag.path.startsWith(beginning));
    const option = new Option(`--${flag.name} <${flag.placeholder}>`, help);
    command.addOption(isIdle ? option.hideHelp() : option);
    for (const alias of flag.aliases ?? []) {
      command.addOption(new Option(`--${alias} <${flag.placeholder}>`).hideHelp());
    }
  }
  return command.option(
    '--set <path=value>',
    'any field of the scenario; may be repeated',
    also,
    [],
  );
}

/** What only a run has, for parts that are served alone: their arrivals come from elsewhere. */
export const OF_A_RUN = ['arrivals.', 'durationS', 'warmupS', 'drainS'] as const;

/** `--json`, `--quiet`, and with `folder` also `--out` and `--force`. */
export function withOutputOptions(command: Command, folder: 'folder' | 'none'): Command {
  command
    .option('--json', 'print the result as JSON, and nothing else, on stdout')
    .option('-q, --quiet', 'no progress and no notes on stderr');
  if (folder === 'none') return command;
  return command
    .option('-o, --out <folder>', 'where the run is written')
    .option('--force', 'write over what is there');
}

/** `--allow-drawn`, for what is learned from a recorded run or a log. */
export function withAllowDrawn(command: Command): Command {
  return command.option(
    '--allow-drawn',
    'go on where over 20 % of the demand was refused unmeasured: it is drawn from what was served',
  );
}

/** Collects an option that may be given several times. */
export function also(text: string, before: readonly string[]): string[] {
  return [...before, text];
}

/** Reads a whole number of at least `least`. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
    throw new InvalidArgumentError(
      `expected a whole number, ${range}, got ${JSON.stringify(text)}`,
    );
  };
}

/** Reads a number above zero. */
export function positiveNumber(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError(`expected a number above 0, got ${JSON.stringify(text)}`);
}

/** Reads wall seconds per scenario second: beyond these a run is all noise, or has no end. */
export function timeScaleNumber(text: string): number {
  const value = positiveNumber(text);
  if (value >= 0.001 && value <= 100) return value;
  throw new InvalidArgumentError(`expected .001 to 100, got ${JSON.stringify(text)}`);
}

/** Reads a TCP port; 0: any that is free. */
export const portNumber = wholeNumber(0, 65_535);
