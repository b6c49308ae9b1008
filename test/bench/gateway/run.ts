/**
 * How much a gate costs, measured side by side in one run: the upstream itself, the gate as it is
 * (node:http, undici dispatch, raw header fields, ledger off and on), node:http with piped
 * `undici.request`, and Fastify that answers with the body of `undici.request`.
 * Run with `node_modules/.bin/tsx test/bench/gateway/run.ts` on Linux. What counts is the processor
 * time of the gate's own thread for one request, and of that the ratio: a rate says how busy the
 * machine was.
 *
 * Found on two shared cores, otherwise quiet, Node 20 (two runs of five rounds): the gate 1.00 (176 to
 * 183 us), with its ledger .95 and 1.06 (no difference that can be told), node:http with a piped
 * `undici.request` 1.08 and .94, Fastify 1.20 and 1.19. So node:http with dispatch stays; it does
 * admission and metrics in what the piped one needs for streams. An `Error` made for each request had
 * once cost as much as all the rest together.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import autocannon from 'autocannon';
import fastify from 'fastify';
import { Agent, request } from 'undici';
import { startGateway } from '../../../src/gateway/server.ts';
import { parseScenario } from '../../../src/scenario/schema.ts';

const ROUNDS = 5;
const SECONDS = 1;
const CONNECTIONS = 64;
const BODY = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] });

/** The upstream has a thread of its own, so that it does not take turns with the gate. */
const UPSTREAM = `
const { createServer } = require('node:http');
const { parentPort } = require('node:worker_threads');
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.end('{"choices":[]}'));
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

interface Candidate {
  readonly name: string;
  readonly port: number;
  stop(): Promise<unknown> | unknown;
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function gate(name: string, upstream: string, ledger: string | null): Promise<Candidate> {
  const scenario = parseScenario({
    name: 'bench',
    arrivals: { process: 'poisson', ratePerS: 1 },
    gate: { slots: CONNECTIONS },
  });
  const gateway = await startGateway({ scenario, upstream, ledger });
  return { name, port: gateway.port, stop: () => gateway.close() };
}

async function piped(upstream: string): Promise<Candidate> {
  const dispatcher = new Agent({ connections: CONNECTIONS });
  const server = createServer(async (incoming, response) => {
    const answer = await request(upstream + incoming.url, {
      method: 'POST',
      headers: { 'content-type': incoming.headers['content-type'] ?? '' },
      body: incoming,
      dispatcher,
    });
    response.writeHead(answer.statusCode, answer.headers as Record<string, string>);
    answer.body.pipe(response);
  });
  const port = await portOf(server);
  return {
    name: 'node:http, undici.request piped',
    port,
    stop: () => Promise.all([server.close(), dispatcher.close()]),
  };
}

async function withFastify(upstream: string): Promise<Candidate> {
  const dispatcher = new Agent({ connections: CONNECTIONS });
  const app = fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  app.post('*', async (incoming, reply) => {
    const answer = await request(upstream + incoming.url, {
      method: 'POST',
      headers: { 'content-type': incoming.headers['content-type'] ?? '' },
      body: incoming.raw,
      dispatcher,
    });
    return reply.code(answer.statusCode).headers(answer.headers).send(answer.body);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return {
    name: 'Fastify, undici.request as the reply',
    port,
    stop: () => Promise.all([app.close(), dispatcher.close()]),
  };
}

/** Processor time that the main thread of this process has had, in microseconds. */
function mainThreadUs(): number {
  const text = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8');
  return Number(text.split(' ')[0]) / 1000;
}

interface Figure {
  readonly perS: number;
  readonly costUs: number;
}

async function measure(port: number): Promise<Figure> {
  const before = mainThreadUs();
  const result = await autocannon({
    url: `http://127.0.0.1:${port}/v1/chat/completions`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: BODY,
    connections: CONNECTIONS,
    duration: SECONDS,
    workers: 1,
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`port ${port}: not all answered 200`);
  const costUs = (mainThreadUs() - before) / result.requests.total;
  return { perS: result.requests.average, costUs };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const folder = mkdtempSync(join(tmpdir(), 'loadline-bench-'));
const worker = new Worker(UPSTREAM, { eval: true });
const [upstreamPort] = (await once(worker, 'message')) as [number];
const upstream = `http://127.0.0.1:${upstreamPort}`;
const candidates: Candidate[] = [
  { name: 'no gate', port: upstreamPort, stop: () => {} },
  await gate('the gate', upstream, null),
  await gate('the gate, with its ledger', upstream, join(folder, 'gate.jsonl')),
  await piped(upstream),
  await withFastify(upstream),
];
const figures = new Map<string, Figure[]>(candidates.map(({ name }) => [name, []]));
for (const { port } of candidates) await measure(port);
for (let round = 0; round < ROUNDS; round++) {
  // Each comes first once, so that none gains from what ran before it.
  const order = [...candidates.slice(round), ...candidates.slice(0, round)];
  for (const { name, port } of order) figures.get(name)?.push(await measure(port));
}
const costOf = (name: string) => median((figures.get(name) ?? []).map(({ costUs }) => costUs));
const idleUs = costOf('no gate');
const baseUs = costOf('the gate') - idleUs;
for (const [name, values] of figures) {
  const perS = median(values.map((value) => value.perS));
  const costUs = costOf(name) - idleUs;
  const columns = [`${perS.toFixed(0)}/s`, `${costUs.toFixed(0)} us`, (costUs / baseUs).toFixed(2)];
  console.log(name.padEnd(38), ...columns.map((text) => text.padStart(10)));
}
for (const { stop } of candidates) await stop();
await worker.terminate();
rmSync(folder, { recursive: true });
