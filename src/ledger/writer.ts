import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { UserError } from '../errors.ts';
import { encodeLine } from './codec.ts';
import type { LedgerKind, Ledgers } from './lines.ts';

/** Appends to a ledger. Lines of one turn of the event loop go to the file in one write. */
export interface LedgerWriter<L> {
  /** Adds a line; it is in the file after this turn of the event loop at the latest. */
  append(line: L): void;
  /**
   * Writes what was added, now. What is written survives the death of this process (SIGKILL): so
   * a decision is acknowledged only after a flush that said true. False: the file took less; the
   * rest is kept, in order, and the next flush goes on from there.
   */
  flush(): boolean;
  /** As `flush`, and down to the disk: survives the death of the machine. */
  sync(): boolean;
  /** The last write failed and nothing has succeeded since. */
  readonly failed: boolean;
  /** Flushes and closes. False where lines were lost. */
  close(): boolean;
}

export interface WriterOptions {
  /** Told each time that the file stops taking lines (a full disk): stop deciding, or evidence is lost. */
  readonly onError: (error: UserError) => void;
  /** `wx`: a new file; `a`: at the end of one that may be there. */
  readonly flags?: 'wx' | 'a';
  /** Writes bytes and says how many it took; replaced in tests. */
  readonly write?: (fd: number, bytes: Uint8Array) => number;
}

/** Makes a ledger's file and writes its header. UserError where that cannot be done. */
export function createLedgerWriter<K extends LedgerKind>(
  path: string,
  header: Ledgers[K]['header'],
  options: WriterOptions,
): LedgerWriter<Ledgers[K]['line']> {
  const writer = openLineWriter<Ledgers[K]['line']>(path, encodeLine, options);
  writer.appendText(encodeLine(header));
  if (!writer.flush())
    throw new UserError(`${path}: expected to write a ledger, got a full disk`, 1);
  return writer;
}

/** A writer of lines in any form (runbook 001's ledger has one of its own). */
export function openLineWriter<L>(
  path: string,
  encode: (line: L) => string,
  options: WriterOptions,
): FileWriter<L> {
  const fd = openFile(path, options.flags ?? 'wx');
  const writer = new FileWriter(path, fd, encode, options);
  // Its last writer was killed in the middle of a line: ours must not become a part of it.
  if (options.flags === 'a' && endsTorn(fd)) writer.appendText('\n');
  return writer;
}

function endsTorn(fd: number): boolean {
  const stat = fstatSync(fd);
  if (!stat.isFile() || stat.size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, stat.size - 1);
  return last.toString() !== '\n';
}

function openFile(path: string, flags: 'wx' | 'a'): number {
  try {
    return openSync(path, flags === 'a' ? 'a+' : flags, 0o644);
  } catch (error) {
    throw new UserError(`${path}: expected to open a ledger for writing, got ${codeOf(error)}`);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

class FileWriter<L> implements LedgerWriter<L> {
  failed = false;
  private texts: string[] = [];
  /** Encoded and not yet in the file: a write may take only a part. */
  private rest: Uint8Array = new Uint8Array(0);
  private scheduled = false;
  private closed = false;
  private readonly write: (fd: number, bytes: Uint8Array) => number;

  constructor(
    private readonly path: string,
    private readonly fd: number,
    private readonly encode: (line: L) => string,
    private readonly options: WriterOptions,
  ) {
    this.write = options.write ?? writeSync;
  }

  append(line: L): void {
    this.appendText(this.encode(line));
  }

  appendText(text: string): void {
    if (this.closed) throw new Error(`${this.path}: line after close`);
    this.texts.push(text);
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      if (!this.closed) this.flush();
    });
  }

  flush(): boolean {
    if (this.closed) return this.rest.length === 0;
    this.encodePending();
    try {
      while (this.rest.length > 0) this.rest = this.rest.subarray(this.write(this.fd, this.rest));
      this.failed = false;
    } catch (error) {
      this.fail(error);
    }
    return this.rest.length === 0;
  }

  private encodePending(): void {
    if (this.texts.length === 0) return;
    const added = Buffer.from(this.texts.join(''));
    this.texts = [];
    this.rest = this.rest.length === 0 ? added : Buffer.concat([this.rest, added]);
  }

  private fail(error: unknown): void {
    const first = !this.failed;
    this.failed = true;
    const got = codeOf(error);
    if (first)
      this.options.onError(new UserError(`${this.path}: expected to write, got ${got}`, 1));
  }

  sync(): boolean {
    if (!this.flush()) return false;
    try {
      fsyncSync(this.fd);
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  close(): boolean {
    if (this.closed) return this.rest.length === 0;
    const whole = this.flush();
    this.closed = true;
    closeSync(this.fd);
    return whole;
  }
}
