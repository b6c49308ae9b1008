import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openLedger } from '../../src/ledger/codec.ts';
import { checkGate } from '../../src/ledger/laws.ts';
import { TaskLines } from '../../src/ledger/task-events.ts';
import { call, gateOf, upstreamOf } from '../gateway/support.ts';

const MOUNT = '/bin/mount';
const UMOUNT = '/bin/umount';

/** A disk of 64 KiB, which only root may have. */
const folder = mkdtempSync(join(tmpdir(), 'loadline-full-'));
const mounted = mountTiny();
if (!mounted) console.log('skipped: a tiny file system can be mounted by root alone');

function mountTiny(): boolean {
  try {
    execFileSync(MOUNT, ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

afterAll(() => {
  if (mounted) execFileSync(UMOUNT, [folder]);
  rmSync(folder, { recursive: true });
});

describe.runIf(mounted)('a disk that fills up under the ledger', () => {
  it('stops admission, in clear words, and every task that was served is on record', async () => {
    const upstream = await upstreamOf((_, response) => response.end('ok'));
    const ledger = join(folder, 'gate.jsonl');
    const runbookLedger = join(folder, 'tasks.jsonl');
    const gateway = await gateOf(upstream.url, { slots: 2 }, { ledger, runbookLedger });
    const served: number[] = [];
    let refusal = '';
    for (let seq = 0; seq < 1_000 && refusal === ''; seq++) {
      const answer = await call(gateway.port, { headers: { 'x-loadline-seq': String(seq) } });
      if (answer.status === 200) served.push(seq);
      else refusal = answer.body;
    }
    expect(refusal).toContain('ledger_unwritable');
    expect(refusal).toContain('ENOSPC');
    expect((await call(gateway.port)).status).toBe(503);
    expect(served.length).toBeGreaterThan(10);
    await gateway.close();
    const { header, lines } = await openLedger('gate', ledger);
    const granted = new Set<number>();
    for await (const { line } of lines) {
      if ('in' in line && line.in.type === 'arrive') granted.add(line.in.seq);
    }
    expect(served.filter((seq) => !granted.has(seq))).toEqual([]);
    expect(await checkGate(header, (await openLedger('gate', ledger)).lines)).toEqual([]);
    const tasks = new TaskLines('tasks.jsonl');
    const events = tasks.push(readFileSync(runbookLedger, 'utf8'));
    const admitted = events.filter(({ event }) => event === 'admit').length;
    // The two files share the disk: the one that fills first stops both.
    expect(admitted).toBeGreaterThanOrEqual(served.length);
  });
});
