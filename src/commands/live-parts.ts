import { type Part, startPart } from '../engine/live/child.ts';
import { launchOf } from './launch.ts';
import type { SilenceLimits } from './silence.ts';

/** The processes of a live run. */
export interface LiveParts {
  /** The stub, where the run has one of its own. */
  readonly stub: Part | undefined;
  /** undefined: requests go straight to the endpoint. */
  readonly gateway: Part | undefined;
  /** Ends them, the gate first: its ledger is whole when this resolves. */
  stop(): Promise<void>;
}

export interface PartsOptions {
  /** A file with the resolved scenario. */
  readonly scenarioFile: string;
  readonly timeScale: number;
  /** Base URL of an endpoint; undefined: a stub is started. */
  readonly endpoint: string | undefined;
  readonly endpointIsStub: boolean;
  readonly direct: boolean;
  /** Of the gate; 0: any free one. */
  readonly port: number;
  readonly gateLedger: string;
  /** After which the gate gives a silent upstream up. */
  readonly silence: SilenceLimits;
  /** Decision lines, one JSON value each; undefined: none. */
  readonly gateLog: string | undefined;
  /** Where an endpoint shows `cpu_busy_seconds_total`. */
  readonly metricsUrl: string | undefined;
  readonly ca: string | undefined;
  readonly insecure: boolean;
}

/**
 * Starts what a run needs beside its generator.
 * @throws UserError where one does not start; what had started is ended
 */
export async function startParts(options: PartsOptions): Promise<LiveParts> {
  const started: Part[] = [];
  const stop = async () => {
    for (const part of started.splice(0).reverse()) await part.stop();
  };
  try {
    const stub = options.endpoint === undefined ? await startStub(options) : undefined;
    if (stub !== undefined) started.push(stub);
    const gateway = options.direct ? undefined : await startGateway(options, stub);
    if (gateway !== undefined) started.push(gateway);
    return { stub, gateway, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startStub({ scenarioFile, timeScale }: PartsOptions): Promise<Part> {
  const argv = ['--scenario', scenarioFile, '--time-scale', String(timeScale)];
  return startPart('stub', launchOf('stub'), [...argv, '--exit-with-parent'], withoutKeys());
}

function startGateway(options: PartsOptions, stub: Part | undefined): Promise<Part> {
  const upstream = stub === undefined ? (options.endpoint ?? '') : `http://127.0.0.1:${stub.port}`;
  const isStub = stub !== undefined || options.endpointIsStub;
  const metrics = options.metricsUrl ?? (isStub ? `${upstream}/metrics` : undefined);
  const argv = [
    ...['gateway', '--resolved', options.scenarioFile, '--upstream', upstream],
    ...['--time-scale', String(options.timeScale), '--port', String(options.port)],
    ...['--gate-ledger', options.gateLedger, '--exit-with-parent'],
    ...silenceFlags(options.silence),
    ...(isStub ? ['--stub'] : []),
    ...(metrics === undefined ? [] : ['--upstream-metrics', metrics]),
    ...(options.gateLog === undefined ? [] : ['--log', options.gateLog]),
    ...(options.ca === undefined ? [] : ['--ca', options.ca]),
    ...(options.insecure ? ['--insecure'] : []),
  ];
  return startPart('gateway', launchOf('cli'), argv, withoutKeys());
}

/** As `loadline gateway` takes them. */
export function silenceFlags({ firstByteS, idleS }: SilenceLimits): string[] {
  return ['--first-byte-timeout', String(firstByteS), '--idle-timeout', String(idleS)];
}

/** Neither needs them: a key travels in the requests, and in no environment but ours. */
function withoutKeys(): NodeJS.ProcessEnv {
  const { MC_API_KEY: _mc, OPENAI_API_KEY: _openai, ...rest } = process.env;
  return rest;
}
