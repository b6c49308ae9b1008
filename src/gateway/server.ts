import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createAdmission } from '../admission/admission.ts';
import { UserError } from '../errors.ts';
import { admissionConfig } from '../scenario/machines.ts';
import { isOwnPath, serveOwnPath } from './admin.ts';
import { type BusyScrape, scrapeBusy } from './busy.ts';
import { startClock } from './clock.ts';
import { GateContext } from './context.ts';
import { Exchange } from './exchange.ts';
import { Gate } from './gate.ts';
import { openGateLedger } from './gate-ledger.ts';
import { openLog } from './log.ts';
import { createMetrics } from './metrics.ts';
import { passThrough } from './pass-through.ts';
import { createProbe } from './probe.ts';
import { sendFailure } from './refusal.ts';
import { GATEWAY_DEFAULTS, type GatewayOptions, type GatewaySettings } from './settings.ts';
import { originForm } from './target.ts';
import { Unanswered } from './unanswered.ts';
import { createUpstream } from './upstream.ts';

/** Longer than the idle limit of any load balancer in front (600 s): it closes first, never we. */
const KEEP_ALIVE_MS = 620_000;

/** A gate that serves. */
export interface Gateway {
  readonly port: number;
  readonly gate: GateContext;
  /** Requests inside. */
  inFlight(): number;
  /** Of those that the gate let in or keeps waiting: whose answer is not with them yet. */
  unanswered(): number;
  /** Refuses new work; resolves when what was inside has ended and its callers have their answers. */
  drain(): Promise<void>;
  /** Stops at once: what is inside is cut off. */
  close(): Promise<void>;
}

/**
 * Starts the gate of a scenario in front of an upstream.
 * @throws UserError for a port in use, an upstream that is no URL, a ledger that cannot be written
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const settings: GatewaySettings = { ...GATEWAY_DEFAULTS, ...options };
  const base = upstreamUrl(settings.upstream);
  const config = admissionConfig(settings.scenario);
  const ledger = openGateLedger(settings.ledger, settings.runbookLedger, config);
  const decisionLog = openLog(settings.log);
  const clock = startClock(settings.timeScale);
  const machine = new Gate(createAdmission(config), clock, ledger.record);
  const open = new Set<Exchange>();
  const unanswered = new Unanswered();
  const leased = new Map<number, Exchange>();
  let busy: BusyScrape | undefined;
  const busyRatio = () =>
    busy?.ratio(settings.scenario.model.slots || machine.admission.view.policy.slots);
  const metrics = createMetrics({
    gate: machine,
    config,
    inFlight: () => open.size,
    slowReaders: () => [...leased.values()].filter((exchange) => exchange.stalled).length,
    busyRatio,
    memoryRatio: () => busy?.memory(),
    restartTokens: () => Math.max(0, ...[...leased.values()].map((each) => each.restartTokens)),
  });
  const upstream = createUpstream({
    origin: base.origin,
    ca: settings.ca ?? undefined,
    insecure: settings.insecure,
  });
  const probe = createProbe(base.hostname.replace(/^\[|\]$/g, ''), portOf(base));
  const gate = new GateContext({
    ...{ settings, config, clock, machine, upstream, probe, metrics, leased, open, busyRatio },
    log: decisionLog.log,
  });
  const server = createHttpServer(gate, open, unanswered);
  const stop = async () => {
    busy?.stop();
    probe.stop();
    server.closeAllConnections();
    await Promise.all([upstream.close(), new Promise((resolve) => server.close(resolve))]);
    machine.close();
    ledger.close();
    await decisionLog.close();
  };
  const port = await listen(server, settings).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  if (settings.metricsUrl !== null)
    busy = scrapeBusy(settings.metricsUrl, clock, ledger.recordBusy);
  return {
    port,
    gate,
    inFlight: () => open.size,
    unanswered: () => unanswered.atGate,
    async drain() {
      await machine.drain();
      await unanswered.none();
    },
    close: stop,
  };
}

function upstreamUrl(text: string): URL {
  if (URL.canParse(text)) {
    const url = new URL(text);
    if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  }
  throw new UserError('upstream: expected an http or https URL, such as http://127.0.0.1:8000/v1');
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

function createHttpServer(gate: GateContext, open: Set<Exchange>, unanswered: Unanswered): Server {
  const handle = (request: IncomingMessage, response: ServerResponse, waits: boolean) => {
    const target = originForm(request.url ?? '/', request.method ?? 'GET');
    if (target === undefined) {
      sendFailure(response, 400, 'bad_request', 'expected a path', []);
      return;
    }
    if (target === '*') {
      response.writeHead(204, { allow: 'GET, HEAD, POST, OPTIONS' }).end();
      return;
    }
    request.url = target;
    if (isOwnPath(target)) void own(gate, request, response, waits);
    else if (isFree(request)) passThrough(gate, request, response, waits);
    else {
      const exchange = new Exchange(gate, request, response, waits);
      open.add(exchange);
      unanswered.add(exchange, response);
      exchange.start();
    }
  };
  const server = createServer((request, response) => handle(request, response, false));
  server.on('checkContinue', (request, response) => handle(request, response, true));
  // A body may be left unread for as long as its request waits.
  server.requestTimeout = 0;
  server.timeout = 0;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  // Answers that a pipelining client has not come to yet have no socket that could tell their end.
  server.on('connection', (socket) => {
    socket.once('close', () => {
      for (const exchange of open) if (exchange.isOn(socket)) exchange.callerGone();
      unanswered.closed(socket);
    });
  });
  return server;
}

/** A list of models costs no compute, nor does the question of a browser whether it may ask. */
function isFree(request: IncomingMessage): boolean {
  if (request.method === 'OPTIONS') return true;
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  return /\/models(\/[^/]+)?$/.test((request.url ?? '').split('?', 1)[0] ?? '');
}

async function own(
  gate: GateContext,
  request: IncomingMessage,
  response: ServerResponse,
  waits: boolean,
): Promise<void> {
  try {
    if (waits) response.writeContinue();
    await serveOwnPath(gate, request, response);
  } catch (error) {
    gate.log('fault', { message: (error as Error).message });
    if (!response.headersSent) response.writeHead(500).end();
    else response.destroy();
  }
}

function listen(server: Server, { host, port }: GatewaySettings): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new UserError(`${host}:${port}: expected a free port to listen on, got ${error.code}`, 1),
      );
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
