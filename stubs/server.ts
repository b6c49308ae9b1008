import type { FastifyInstance } from 'fastify';
import { fastify } from 'fastify';
import { UserError } from '../src/errors.ts';
import { modelConfig } from '../src/scenario/machines.ts';
import type { Scenario } from '../src/scenario/types.ts';
import { usFromS } from '../src/units.ts';
import { addAdminRoutes } from './admin.ts';
import { errorJson } from './answer.ts';
import { complete } from './completions.ts';
import { Driver } from './driver.ts';
import { FaultBox } from './faults.ts';
import { leaveHost, socketsOf } from './leave-host.ts';
import { StubMetrics } from './metrics.ts';
import { createScenarioClock } from './scenario-clock.ts';
import { type LogLine, MODEL_NAME, type Site } from './site.ts';
import { WorkSource } from './work.ts';

export interface StubOptions {
  readonly scenario: Scenario;
  /** 0: any free one. */
  readonly port: number;
  /** Wall time per scenario time. */
  readonly timeScale?: number;
  /** How long an idle connection is kept, in milliseconds. */
  readonly keepAliveMs?: number;
  readonly log?: (line: LogLine) => void;
}

export interface Stub {
  readonly port: number;
  /** Ends every connection and frees the port. */
  close(): Promise<void>;
  /**
   * What a spot host does: at the notice it listens no more and keeps no idle connection, what is
   * in flight goes on, and whatever is left after the notice is reset. Nothing to wait for where
   * the scenario gives no notice.
   */
  leave(): Promise<void>;
}

const HOST = '127.0.0.1';
const BODY_LIMIT_BYTES = 64 * 1024 * 1024;
/** Longer than the gate's pool keeps a connection, so that it is never the stub that closes first. */
const KEEP_ALIVE_MS = 75_000;
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Starts the stub on loopback.
 * @throws UserError where the port is taken or may not be used
 */
export async function startStub(options: StubOptions): Promise<Stub> {
  const site = createSite(options);
  const app = fastify({
    bodyLimit: BODY_LIMIT_BYTES,
    keepAliveTimeout: options.keepAliveMs ?? KEEP_ALIVE_MS,
    forceCloseConnections: true,
  });
  readJsonOnly(app);
  answerErrorsAsJson(app);
  addRoutes(app, site);
  const sockets = socketsOf(app.server);
  await listen(app, options.port);
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  const close = async () => {
    site.driver.stop();
    await app.close();
  };
  return {
    port,
    close,
    async leave() {
      await leaveHost(app.server, sockets, noticeMs(site));
      await close();
    },
  };
}

/** Wall time; 0: the scenario is no spot host, or one that says nothing before it goes. */
function noticeMs({ scenario, clock }: Site): number {
  const { preempts } = scenario.model;
  return preempts.type === 'spot' ? clock.wallMs(usFromS(preempts.noticeS)) : 0;
}

function createSite({ scenario, timeScale = 1, log = () => undefined }: StubOptions): Site {
  const clock = createScenarioClock(timeScale);
  const driver = new Driver(modelConfig(scenario), clock);
  return {
    scenario,
    timeScale,
    clock,
    driver,
    metrics: new StubMetrics(driver),
    faults: new FaultBox(),
    work: new WorkSource(),
    log,
    bySeq: new Map(),
  };
}

/** Whatever a body calls itself, it is JSON: `curl -d` says that it is a form. */
function readJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => {
    const text = body.toString();
    if (text === '') return done(null, undefined);
    try {
      done(null, JSON.parse(text));
    } catch {
      done(new UserError('body: expected JSON'));
    }
  });
}

function answerErrorsAsJson(app: FastifyInstance): void {
  app.setNotFoundHandler(({ method, url }, reply) => {
    const [path = ''] = url.split('?');
    const body = errorJson('not_found', `${method} ${path}: there is no such route`);
    return reply.code(404).type(JSON_TYPE).send(body);
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, _, reply) => {
    const status = error instanceof UserError ? 400 : (error.statusCode ?? 500);
    const body = errorJson('invalid_request', error.message);
    return reply.code(status).type(JSON_TYPE).send(body);
  });
}

function addRoutes(app: FastifyInstance, site: Site): void {
  const created = Math.floor(Date.now() / 1000);
  const model = { id: MODEL_NAME, object: 'model', created, owned_by: 'loadline' };
  app.post('/v1/chat/completions', ({ headers, body }, reply) => {
    reply.hijack();
    complete(site, headers, body, reply.raw);
  });
  // Whoever plays at another scale measures nothing.
  app.get('/v1/models', (_, reply) => {
    reply.header('x-loadline-time-scale', String(site.timeScale));
    return { object: 'list', data: [model] };
  });
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/metrics', async (_, reply) => {
    const { registry } = site.metrics;
    return reply.type(registry.contentType).send(await registry.metrics());
  });
  addAdminRoutes(app, site);
}

async function listen(app: FastifyInstance, port: number): Promise<void> {
  try {
    await app.listen({ host: HOST, port });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    const got = code === 'EADDRINUSE' ? 'one that is in use' : code;
    throw new UserError(`port ${port}: expected a free port, got ${got}`, 1);
  }
}
