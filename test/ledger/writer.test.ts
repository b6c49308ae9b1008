import { mkdtempSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { GateHeader } from '../../src/ledger/lines.ts';
import { createLedgerWriter, type WriterOptions } from '../../src/ledger/writer.ts';

const HEADER = { ledger: 'gate', schemaVersion: 1 } as unknown as GateHeader;
let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loadline-writer-'));
  path = join(folder, 'gate.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

function open(options: Partial<WriterOptions> = {}) {
  const errors: string[] = [];
  const onError = (error: Error) => errors.push(error.message);
  return { writer: createLedgerWriter<'gate'>(path, HEADER, { onError, ...options }), errors };
}

const written = () => readFileSync(path, 'utf8').split('\n').slice(1, -1);

it('has a line in the file when a flush says so, and at the end of the turn otherwise', async () => {
  const { writer } = open();
  writer.append({ t: 1, busy: 1 });
  expect(written()).toEqual([]);
  expect(writer.flush()).toBe(true);
  expect(written()).toEqual(['{"t":1,"busy":1}']);
  writer.append({ t: 2, busy: 1 });
  await setImmediate();
  await setImmediate();
  expect(written()).toHaveLength(2);
  expect(writer.sync()).toBe(true);
  expect(writer.close()).toBe(true);
});

it('goes on from where a full disk stopped it, so that no line is lost or torn', () => {
  let room = Number.POSITIVE_INFINITY;
  const write = (fd: number, bytes: Uint8Array) => {
    if (room <= 0) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    const taken = writeSync(fd, bytes.subarray(0, Math.min(room, bytes.length)));
    room -= taken;
    return taken;
  };
  const { writer, errors } = open({ write });
  room = 5;
  writer.append({ t: 1, busy: 1 });
  expect(writer.flush()).toBe(false);
  expect(writer.failed).toBe(true);
  writer.append({ t: 2, busy: 2 });
  expect(writer.flush()).toBe(false);
  expect(errors).toEqual([`${path}: expected to write, got ENOSPC`]);
  room = Number.POSITIVE_INFINITY;
  expect(writer.flush()).toBe(true);
  expect(writer.failed).toBe(false);
  expect(written()).toEqual(['{"t":1,"busy":1}', '{"t":2,"busy":2}']);
  expect(writer.close()).toBe(true);
});

it('does not write over a ledger that is there', () => {
  writeFileSync(path, 'evidence');
  expect(() => open()).toThrow(
    expect.objectContaining({
      ...{ message: `${path}: expected to open a ledger for writing, got EEXIST`, exitCode: 2 },
    }),
  );
});
