/** The flags of a live run, for every command that makes one. */
import { type Command, Option } from 'commander';
import type { Limits } from '../engine/live/breaker.ts';
import type { LiveRunOptions } from './live-run.ts';
import { portNumber, timeScaleNumber, wholeNumber } from './options.ts';
import { readText } from './read-text.ts';

/** What they leave behind. */
export interface LiveFlags {
  readonly endpoint?: string;
  readonly model?: string;
  readonly direct?: boolean;
  readonly timeScale: number;
  readonly port: number;
  readonly yes?: boolean;
  readonly maxRequests?: number;
  readonly maxTokens?: number;
  readonly maxFailures: number;
  readonly upstreamMetrics?: string;
  readonly ca?: string;
  readonly insecure?: boolean;
}

export function withLiveOptions(command: Command): Command {
  return command
    .option(
      '-e, --endpoint <url>',
      'any OpenAI-compatible base URL instead of a stub (MC_ENDPOINT)',
    )
    .addOption(new Option('--base-url <url>').hideHelp())
    .option('-m, --model <name>', 'model to ask for (MC_MODEL)')
    .option('--direct', 'without the gate')
    .option(
      '--time-scale <number>',
      'wall seconds per scenario second; a stub only',
      timeScaleNumber,
      1,
    )
    .option('-p, --port <number>', 'where the gate listens; 0: any free port', portNumber, 0)
    .option('-y, --yes', 'send to an endpoint that is not this machine')
    .option('--max-requests <number>', 'send no more than this', wholeNumber(1))
    .option('--max-tokens <number>', 'end the run when this many tokens have gone', wholeNumber(1))
    .option(
      '--max-failures <number>',
      'end the run after so many failures in a row',
      wholeNumber(1),
      20,
    )
    .option('--upstream-metrics <url>', 'where cpu_busy_seconds_total is read')
    .option('--ca <file>', 'certificates to trust beside those of the system')
    .option('--insecure', 'accept any certificate');
}

type FromFlags = Omit<LiveRunOptions, 'folder' | 'signal' | 'meanwhile' | 'say' | 'schedule'>;

/** The options of a run, from flags before environment. A key comes from the environment alone. */
export function liveOptions(
  flags: LiveFlags & { readonly baseUrl?: string },
  env: NodeJS.ProcessEnv = process.env,
): FromFlags {
  const set = (name: string) => (env[name] === '' ? undefined : env[name]);
  const { timeScale, direct, port, yes, insecure, ca, upstreamMetrics: metricsUrl } = flags;
  return {
    endpoint: flags.endpoint ?? flags.baseUrl ?? set('MC_ENDPOINT') ?? set('OPENAI_BASE_URL'),
    model: flags.model ?? set('MC_MODEL'),
    apiKey: set('MC_API_KEY') ?? set('OPENAI_API_KEY'),
    timeScale,
    port,
    metricsUrl,
    direct: direct ?? false,
    yes: yes ?? false,
    insecure: insecure ?? false,
    ca: ca === undefined ? undefined : readText('--ca', ca),
    limits: limitsOf(flags),
  };
}

function limitsOf({ maxRequests, maxTokens, maxFailures }: LiveFlags): Limits {
  return {
    maxRequests: maxRequests ?? Number.POSITIVE_INFINITY,
    maxTokens: maxTokens ?? Number.POSITIVE_INFINITY,
    maxFailuresInARow: maxFailures,
  };
}
