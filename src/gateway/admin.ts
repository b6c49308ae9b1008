/** The gate's own paths: health, metrics, and what an operator may see and change. */

import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { UserError } from '../errors.ts';
import { sFromUs } from '../units.ts';
import type { GateContext } from './context.ts';
import { policyPatchFrom, shownPolicy } from './policy-patch.ts';
import { round3 } from './refusal.ts';
import { verdictsNow } from './verdicts.ts';

const BODY_LIMIT_BYTES = 64 * 1024;

type Answer = readonly [status: number, body: unknown];
type Route = (gate: GateContext, request: IncomingMessage, url: URL) => Promise<Answer> | Answer;

const ADMIN: Readonly<Record<string, Route>> = {
  'GET /admin/policy': (gate) => [200, shownPolicy(policyOf(gate))],
  'PUT /admin/policy': changePolicy,
  'POST /admin/drain': async (gate) => {
    await gate.machine.drain();
    return [200, drainState(gate)];
  },
  'GET /admin/drain': (gate) => [200, drainState(gate)],
  'GET /admin/leases': (gate) => [200, { leases: leases(gate) }],
  'GET /admin/verdicts': (gate, request) => [
    200,
    { verdicts: verdictsNow(gate, `http://127.0.0.1:${request.socket.localPort}`) },
  ],
  'GET /admin/clock': (gate) => [
    200,
    { nowUs: gate.clock.nowUs(), timeScale: gate.clock.timeScale },
  ],
};

/** Whether this path is the gate's own rather than the upstream's. */
export function isOwnPath(target: string): boolean {
  const path = target.split('?', 1)[0] ?? '';
  return (
    path === '/metrics' || path === '/healthz' || path === '/readyz' || path.startsWith('/admin/')
  );
}

/** Answers one of the gate's own paths. */
export async function serveOwnPath(
  gate: GateContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://gate');
  if (url.pathname === '/metrics') return sendMetrics(gate, response);
  const [status, body] = await answer(gate, request, url);
  if (response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

async function sendMetrics(gate: GateContext, response: ServerResponse): Promise<void> {
  const { registry } = gate.metrics;
  const text = await registry.metrics();
  response.writeHead(200, { 'content-type': registry.contentType });
  response.end(text);
}

async function answer(gate: GateContext, request: IncomingMessage, url: URL): Promise<Answer> {
  if (url.pathname === '/healthz') return [200, { status: 'ok' }];
  if (url.pathname === '/readyz') return readiness(gate);
  if (!mayAdminister(gate, request)) return [403, { error: 'admin paths need the admin token' }];
  const lease = /^\/admin\/leases\/(.+)$/.exec(url.pathname)?.[1];
  if (request.method === 'DELETE' && lease !== undefined) return killLeases(gate, lease);
  const route = ADMIN[`${request.method} ${url.pathname}`];
  if (route === undefined) return [404, { error: `no ${request.method} ${url.pathname} here` }];
  try {
    return await route(gate, request, url);
  } catch (error) {
    if (error instanceof UserError) return [400, { error: error.message }];
    throw error;
  }
}

function policyOf(gate: GateContext) {
  return gate.machine.admission.view.policy;
}

function readiness(gate: GateContext): Answer {
  const { machine } = gate;
  const why =
    machine.fault !== undefined
      ? 'ledger_unwritable'
      : policyOf(gate).mode === 'drain'
        ? 'draining'
        : policyOf(gate).upstreamDown
          ? 'upstream_down'
          : undefined;
  return why === undefined ? [200, { status: 'ready' }] : [503, { status: why }];
}

function mayAdminister(gate: GateContext, request: IncomingMessage): boolean {
  const { adminToken } = gate.settings;
  if (adminToken === null) return isLoopback(request.socket.remoteAddress ?? '');
  const given = Buffer.from(request.headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${adminToken}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

async function changePolicy(gate: GateContext, request: IncomingMessage): Promise<Answer> {
  const patch = policyPatchFrom(parsed(await textOf(request)));
  gate.machine.configure(patch);
  gate.log('policy', { patch });
  return [200, shownPolicy(policyOf(gate))];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UserError('policy: expected JSON');
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_LIMIT_BYTES) throw new UserError(`policy: expected at most 64 KiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function drainState(gate: GateContext): Readonly<Record<string, unknown>> {
  const { leased, queued } = gate.machine.admission.view;
  return {
    draining: policyOf(gate).mode === 'drain',
    leased,
    queued,
    empty: leased + queued === 0,
  };
}

function leases(gate: GateContext): readonly unknown[] {
  const nowUs = gate.clock.nowUs();
  return gate.machine.admission.leases().map((lease) => {
    const exchange = gate.leased.get(lease.id);
    return {
      id: lease.id,
      seq: lease.seq,
      class: lease.class,
      kind: lease.kind,
      client: lease.client ?? null,
      held_s: round3(sFromUs(nowUs - lease.sinceUs)),
      last_read_s:
        exchange?.lastReadUs === undefined ? null : round3(sFromUs(nowUs - exchange.lastReadUs)),
      slow_reader: exchange?.stalled ?? false,
      tokens: exchange?.tokens ?? lease.tokens,
    };
  });
}

/** @param which the id of a lease, or else the name of a client: all of its leases */
function killLeases(gate: GateContext, which: string): Answer {
  const name = decoded(which);
  const ids = gate.machine.admission
    .leases()
    .filter((lease) => String(lease.id) === name || lease.client === name)
    .map((lease) => lease.id);
  if (ids.length === 0) return [404, { error: `no lease of ${name}` }];
  return [200, { killed: ids.filter((id) => gate.machine.kill(id)) }];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
