import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLedger } from '../../src/ledger/codec.ts';
import { replayGate } from '../../src/ledger/replay.ts';
import { atEnd, call, gateOf, until, upstreamOf } from './support.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'loadline-gateway-'));
  atEnd(() => rmSync(path, { recursive: true }));
  return path;
}

describe('the evidence', () => {
  it('folded through the machine gives every decision again', async () => {
    const ledger = join(folder(), 'gate.jsonl');
    const log = join(folder(), 'log.jsonl');
    const upstream = await upstreamOf((_, response) => {
      setTimeout(() => response.end('ok'), 3);
    });
    const gateway = await gateOf(
      upstream.url,
      { slots: 2, queueCapacity: 20, maxWaitS: 0.05, depthMultiple: 8 },
      { ledger, log, timeScale: 0.5 },
    );
    const answers = await Promise.all(
      Array.from({ length: 120 }, async (_, seq) => {
        await new Promise((resolve) => setTimeout(resolve, seq / 2));
        return call(gateway.port, { headers: { 'x-loadline-seq': String(seq) } });
      }),
    );
    await gateway.close();
    const opened = await openLedger('gate', ledger);
    const replayed = await replayGate(opened.header, opened.lines);
    expect(replayed.difference).toBeNull();
    expect(replayed.effects).toBeGreaterThanOrEqual(120);
    const lines = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const decision of ['admit', 'reject', 'expire']) {
      const told = answers.filter((a) => a.headers['x-loadline-decision'] === decision).length;
      expect(lines.filter((line) => line.decision === decision)).toHaveLength(told);
    }
    expect(lines.length).toBe(120);
  });

  it('of a decision is in the file before its answer is out', async () => {
    const ledger = join(folder(), 'gate.jsonl');
    const upstream = await upstreamOf((_, response) => response.end('ok'));
    const gateway = await gateOf(upstream.url, { slots: 1 }, { ledger });
    await call(gateway.port, { headers: { 'x-loadline-seq': '41' } });
    const text = readFileSync(ledger, 'utf8');
    expect(text).toContain('"seq":41');
    expect(text).toContain('"type":"granted"');
  });

  it('is also told in the events of runbook 001', async () => {
    const runbookLedger = join(folder(), 'preempt_ledger.jsonl');
    const upstream = await upstreamOf((_, response) => response.end('ok'));
    const gateway = await gateOf(upstream.url, { slots: 1 }, { runbookLedger });
    await call(gateway.port, { headers: { 'x-loadline-seq': '3' } });
    await gateway.close();
    const events = readFileSync(runbookLedger, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events).toMatchObject([
      { event: 'admit', task_id: 'task-0003' },
      { event: 'complete', task_id: 'task-0003' },
    ]);
  });

  it('that cannot be kept stops admission, in clear words', async () => {
    const upstream = await upstreamOf((_, response) => response.end('ok'));
    const gateway = await gateOf(upstream.url, { slots: 1 }, { ledger: '/dev/full' }).catch(
      (error: Error) => error,
    );
    // The header alone shows that the disk is full: the gate does not even start.
    expect(gateway).toBeInstanceOf(Error);
    expect((gateway as Error).message).toContain('/dev/full');
  });

  it('never holds what the caller sent as a secret', async () => {
    const ledger = join(folder(), 'gate.jsonl');
    const log = join(folder(), 'log.jsonl');
    const upstream = await upstreamOf((_, response) => response.writeHead(500).end('no'));
    const gateway = await gateOf(upstream.url, { slots: 1 }, { ledger, log });
    await call(gateway.port, { headers: { authorization: 'Bearer sk-secret' } });
    await until(() => gateway.inFlight() === 0, 'nothing is inside');
    await gateway.close();
    expect(upstream.seen[0]?.headers.authorization).toBe('Bearer sk-secret');
    expect(readFileSync(ledger, 'utf8') + readFileSync(log, 'utf8')).not.toContain('sk-secret');
  });
});
