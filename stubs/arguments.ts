import { parseArgs } from 'node:util';
import { UserError } from '../src/errors.ts';

/** What the stub's process was told. */
export interface StubArguments {
  readonly port: number;
  /** A scenario's path or name; undefined: the default scenario. */
  readonly scenario: string | undefined;
  readonly timeScale: number;
  readonly seed: number | undefined;
  /** Where the port is written once the stub listens. */
  readonly portFile: string | undefined;
  readonly keepAliveMs: number | undefined;
  /** End when standard input ends: no stub outlives who started it. */
  readonly exitWithParent: boolean;
}

const OPTIONS = {
  port: { type: 'string' },
  scenario: { type: 'string' },
  'time-scale': { type: 'string' },
  seed: { type: 'string' },
  'port-file': { type: 'string' },
  'keep-alive-ms': { type: 'string' },
  'exit-with-parent': { type: 'boolean' },
} as const;

function numberOf(
  name: string,
  text: string | undefined,
  expected: string,
  accepts: (value: number) => boolean,
): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (accepts(value)) return value;
  throw new UserError(`--${name}: expected ${expected}, got ${text}`);
}

const isWhole = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** Reads argv. @throws UserError */
export function parseStubArguments(argv: readonly string[]): StubArguments {
  const values = parsed(argv);
  const isPort = (value: number): boolean => isWhole(value) && value <= 65_535;
  const isScale = (value: number): boolean => value > 0 && Number.isFinite(value);
  return {
    port: numberOf('port', values.port, 'a port, 0 to 65535', isPort) ?? 0,
    scenario: values.scenario,
    timeScale: numberOf('time-scale', values['time-scale'], 'a number above 0', isScale) ?? 1,
    seed: numberOf('seed', values.seed, `a whole number, 0 to ${Number.MAX_SAFE_INTEGER}`, isWhole),
    portFile: values['port-file'],
    keepAliveMs: numberOf('keep-alive-ms', values['keep-alive-ms'], 'milliseconds', isWhole),
    exitWithParent: values['exit-with-parent'] ?? false,
  };
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, strict: true }).values;
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    throw new UserError(line);
  }
}
