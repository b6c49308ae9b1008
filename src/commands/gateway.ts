import { dirname } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { UserError } from '../errors.ts';
import { gatewayMain } from '../gateway/main.ts';
import { GATEWAY_DEFAULTS } from '../gateway/settings.ts';
import { parseScenario } from '../scenario/schema.ts';
import type { Scenario } from '../scenario/types.ts';
import { counted } from './counted.ts';
import { makeFolder } from './make-folder.ts';
import {
  OF_A_RUN,
  portNumber,
  positiveNumber,
  type ScenarioOptions,
  timeScaleNumber,
  wholeNumber,
  withScenarioOptions,
} from './options.ts';
import { readText } from './read-text.ts';
import { SERVED, scenarioFrom } from './resolve.ts';

interface GatewayOptions extends ScenarioOptions {
  readonly upstream?: string;
  readonly port: number;
  readonly host: string;
  readonly stub?: boolean;
  readonly timeScale: number;
  readonly log: string;
  readonly gateLedger?: string;
  readonly firstByteTimeout?: number;
  readonly idleTimeout?: number;
  readonly bodyTimeout: number;
  readonly writeTimeout: number;
  readonly upstreamMetrics?: string;
  readonly ca?: string;
  readonly insecure?: boolean;
  readonly drainTimeout: number;
  readonly exitWithParent?: boolean;
  readonly resolved?: string;
}

/** Where `loadline stub` listens unless told otherwise. */
const STUB_URL = 'http://127.0.0.1:8000';

/** The gate of a run: once it is told to stop the run is over, and nobody waits for what is inside. */
const GRACE_OF_A_RUN_MS = 4_000;
/** As long as the idle limit of any load balancer in front: whoever waits longer has been given up. */
const DRAIN_S = 600;

/** `loadline gateway`: the gate alone, in the foreground. */
export function gatewayCommand(): Command {
  const command = new Command('gateway')
    .description('serve the gate of a scenario in front of an endpoint')
    .addArgument(new Argument('[scenario]', 'a file, or the name of a shipped scenario'))
    .option('-u, --upstream <url>', 'base URL of the endpoint behind it; needed without --stub')
    .option('-p, --port <number>', 'where it listens; 0: any free port', portNumber, 8080)
    .option('--host <address>', 'on which address it listens', '127.0.0.1')
    .option('--stub', `the upstream is a running loadline stub, at ${STUB_URL} without --upstream`)
    .option('--time-scale <number>', 'wall seconds per scenario second', timeScaleNumber, 1)
    .option('--log <file>', 'decision lines: a file, stdout or none', 'stdout')
    .option('--gate-ledger <file>', 'where inputs and effects are kept')
    .option('--first-byte-timeout <seconds>', 'end an upstream that says nothing', positiveNumber)
    .option('--idle-timeout <seconds>', 'end an upstream that falls silent', positiveNumber)
    .option(
      '--body-timeout <seconds>',
      'answer 408 to a caller whose request stops coming',
      positiveNumber,
      GATEWAY_DEFAULTS.timeouts.bodyMs / 1000,
    )
    .option(
      '--write-timeout <seconds>',
      'end an answer that its caller does not read',
      positiveNumber,
      GATEWAY_DEFAULTS.timeouts.writeMs / 1000,
    )
    .option(
      '--drain-timeout <seconds>',
      'once told to end, for what was admitted; a second signal ends it at once; the exit code is 1 where some was cut off',
      wholeNumber(0, 86_400),
      DRAIN_S,
    )
    .option('--upstream-metrics <url>', 'where cpu_busy_seconds_total is read')
    .option('--ca <file>', 'certificates to trust beside the system’s')
    .option('--insecure', 'accept any certificate')
    .addOption(new Option('--exit-with-parent').hideHelp())
    .addOption(new Option('--resolved <file>').hideHelp());
  return withScenarioOptions(command, [...OF_A_RUN, 'seed', 'model.']).action(run);
}

async function run(nameOrPath: string | undefined, options: GatewayOptions): Promise<void> {
  const scenario =
    options.resolved === undefined
      ? await scenarioFrom(nameOrPath, options, SERVED)
      : readResolved(options.resolved);
  // A run of ours starts one gate; whoever starts several would admit several times as much.
  if (options.resolved === undefined) process.stderr.write(`${perProcess(scenario)}\n`);
  const adminToken = process.env['LOADLINE_ADMIN_TOKEN'] ?? '';
  await gatewayMain(
    {
      scenario,
      upstream: upstreamOf(options),
      upstreamIsStub: options.stub ?? false,
      host: options.host,
      port: options.port,
      timeScale: options.timeScale,
      metricsUrl: options.upstreamMetrics ?? null,
      ledger: options.gateLedger ?? null,
      runbookLedger: process.env['LEDGER_PATH'] || null,
      adminToken: adminToken === '' ? null : adminToken,
      log: logPlace(options.log),
      ca: options.ca === undefined ? null : readText('--ca', options.ca),
      insecure: options.insecure ?? false,
      timeouts: {
        ...GATEWAY_DEFAULTS.timeouts,
        firstByteMs: msOf(options.firstByteTimeout),
        idleMs: msOf(options.idleTimeout),
        bodyMs: msOf(options.bodyTimeout),
        writeMs: msOf(options.writeTimeout),
      },
    },
    { exitWithParent: options.exitWithParent ?? false, graceMs: graceMsOf(options) },
  );
}

/** How long what was admitted may take to end, once the gate is told to. */
export function graceMsOf({
  exitWithParent,
  drainTimeout,
}: Pick<GatewayOptions, 'exitWithParent' | 'drainTimeout'>): number {
  return exitWithParent === true ? GRACE_OF_A_RUN_MS : 1000 * drainTimeout;
}

/** @throws UserError where nothing says what is behind the gate */
export function upstreamOf({ upstream, stub }: Pick<GatewayOptions, 'upstream' | 'stub'>): string {
  if (upstream !== undefined) return upstream;
  if (stub === true) return STUB_URL;
  throw new UserError(
    'gateway: expected --upstream URL, or --stub for a loadline stub that runs, got neither',
  );
}

/**
 * Where decision lines go; of a file the folder is made.
 * @throws UserError where that cannot be
 */
export function logPlace(log: string): string | null {
  if (log === 'none') return null;
  if (log === 'stdout') return log;
  try {
    makeFolder(dirname(log));
    return log;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UserError(`${log}: expected a log that can be written, got ${code}`);
  }
}

/** Wall time, as the timers of an upstream are. */
function msOf(seconds: number | undefined): number | null {
  return seconds === undefined ? null : seconds * 1000;
}

/** Every limit of a gate is its own: two of them know nothing of each other. */
export function perProcess({ gate: { slots } }: Scenario): string {
  return `${counted(slots, 'slot')} in this process: limits are per process, with n gates give each ${slots} / n`;
}

/** As a run wrote it: flags and environment have been applied already. */
function readResolved(path: string): Scenario {
  return parseScenario(JSON.parse(readText('--resolved', path)));
}
