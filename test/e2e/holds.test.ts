import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openLedger } from '../../src/ledger/codec.ts';
import { GateRows } from '../../src/ledger/gate-rows.ts';
import type { LeaseRow } from '../../src/ledger/rows.ts';
import { drawsAt, streamKey } from '../../src/random.ts';
import { msFromUs } from '../../src/units.ts';
import { atEnd, gateOf } from '../gateway/support.ts';
import { testStub, until } from '../stubs/support.ts';

const CLIENTS = 100;
const SLOTS = 25;
const CLASSES = {
  debug: { kind: 'interactive', mayQueue: true, hold: { fixed: 60 }, compute: 0.05 },
} as const;

/** What the stub knows of them, beside a class of its own that nobody asks for. */
const STUB_CLASSES = { debug: { ...CLASSES.debug, share: 1 }, task: { share: 0 } };
/** So that the callers do not all come in one turn of the loop that they share with gate and stub. */
const STAGGER_MS = 20;
/** From the grant to the head of the answer, and from the hang-up to the cancel: turns of that loop. */
const TURNS = 6;

interface Held {
  readonly name: string;
  readonly ms: number;
}

/** Asks for a session; resolves when its answer has begun. */
async function open(port: number, name: string): Promise<[ClientRequest, IncomingMessage]> {
  const sent = request({
    ...{ host: '127.0.0.1', port, method: 'POST', path: '/v1/chat/completions', agent: false },
    headers: {
      'content-type': 'application/json',
      'x-loadline-class': 'debug',
      'x-loadline-client': name,
      'x-loadline-demand': 'service=60000000;in=10;out=600;hold=60000000;key=0;attempt=0',
    },
  });
  sent.on('error', () => {});
  sent.end(
    JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
  );
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.on('error', () => {});
  expect(answer.statusCode).toBe(200);
  return [sent, answer];
}

/** Holds its slot for a time, reading now and then or not at all, and vanishes without a word. */
async function hold(port: number, i: number): Promise<Held> {
  const rng = drawsAt(streamKey(1, 'holds'), i);
  const name = `c-${i}`;
  await sleep(i * STAGGER_MS);
  const [sent, answer] = await open(port, name);
  const fromMs = performance.now();
  if (i % 2 === 0) answer.pause();
  else answer.resume();
  await sleep(100 + 500 * rng.uniform());
  if (i % 4 === 1) answer.pause();
  await sleep(100 * rng.uniform());
  sent.destroy();
  return { name, ms: performance.now() - fromMs };
}

async function leasesIn(path: string): Promise<Map<string | null, LeaseRow>> {
  const leases = new Map<string | null, LeaseRow>();
  const nothing = () => {};
  const { header, lines } = await openLedger('gate', path);
  const rows = new GateRows(
    header,
    0,
    {
      ...{ request: nothing, state: nothing, busy: nothing, decision: nothing, preempt: nothing },
      lease: (row) => leases.set(row.client, row),
    },
    () => null,
  );
  for await (const { line } of lines) rows.take(line);
  return leases;
}

it('100 clients that hold, pause and vanish lose no slot, and each hold is on record to 50 ms', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holds-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const stub = await testStub({ service: { fixed: 60 } }, { classes: STUB_CLASSES });
  atEnd(() => stub.close());
  const ledger = join(folder, 'gate.jsonl');
  const gateway = await gateOf(
    stub.url,
    { slots: SLOTS },
    { rest: { classes: CLASSES }, upstreamIsStub: true, ledger },
  );
  const { view } = gateway.gate.machine.admission;
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  const held = await Promise.all(Array.from({ length: CLIENTS }, (_, i) => hold(gateway.port, i)));
  await until(() => view.leased === 0 && view.queued === 0);
  loop.disable();

  const again = await Promise.all(
    Array.from({ length: SLOTS }, (_, i) => open(gateway.port, `n-${i}`)),
  );
  expect(view.leased).toBe(SLOTS);
  expect(view.queued).toBe(0);
  for (const [sent] of again) sent.destroy();
  await until(() => view.leased === 0);
  await gateway.close();

  const leases = await leasesIn(ledger);
  const off = held.map(({ name, ms }) => {
    const lease = leases.get(name);
    return lease === undefined ? Infinity : Math.abs(msFromUs(lease.toUs - lease.fromUs) - ms);
  });
  expect(leases.size).toBe(CLIENTS + SLOTS);
  expect(Math.max(...off)).toBeLessThan(50 + TURNS * (loop.max / 1e6 - 5));
});
