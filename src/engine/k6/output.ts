/** Reads what `k6 run --out json=…` wrote: one JSON value a line, plain or gzipped, of any size. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UserError } from '../../errors.ts';
import { decodeFacts, type Facts, METRICS, SCHEDULE_TAG } from './metrics.ts';

/** All instances of a run together, as raw samples. */
export interface K6Output {
  readonly facts: ReadonlyMap<number, Facts>;
  /** Instants of the requests that were sent, whether they ended or not. */
  readonly sentUs: ReadonlyMap<number, number>;
  /** Sequence numbers that ended in more than one place; the first one counts. */
  readonly duplicates: readonly number[];
  /** Digests that the points name. */
  readonly schedules: ReadonlySet<string>;
  /** Where the instances disagree about instant 0, in milliseconds. */
  readonly epochSpreadMs: number;
  /** Instant 0 since the Unix epoch; null where there is no point. */
  readonly epochMs: number | null;
  readonly lines: number;
  /** Last lines that were cut off. */
  readonly torn: number;
}

interface PointLine {
  readonly type?: unknown;
  readonly metric?: unknown;
  readonly data?: {
    readonly time?: unknown;
    readonly tags?: Readonly<Record<string, string>>;
    readonly metadata?: Readonly<Record<string, string>>;
  };
}

/**
 * Reads the files of all instances of one run.
 * @throws UserError with file and line: a line that is no JSON, or points of another kind of run
 */
export async function readK6Output(paths: readonly string[]): Promise<K6Output> {
  const gathered = new Gathered();
  for (const path of paths) {
    let number = 0;
    let broken = 0;
    for await (const line of linesIn(path)) {
      number++;
      if (broken > 0) throw badLine(path, broken);
      if (!gathered.take(line)) broken = number;
    }
    gathered.lines += number;
    if (broken > 0) gathered.torn++;
  }
  if (gathered.facts.size === 0 && gathered.sentUs.size === 0) {
    const names = paths.join(' ');
    throw new UserError(
      `${names}: expected points of ${METRICS.requests}, got none in ${gathered.lines} lines (is it the output of a bundle made by \`loadline k6\`?)`,
    );
  }
  return gathered;
}

function badLine(path: string, number: number): UserError {
  return new UserError(
    `${path}:${number}: expected a line of k6's JSON output, got something else`,
  );
}

class Gathered implements K6Output {
  readonly facts = new Map<number, Facts>();
  readonly sentUs = new Map<number, number>();
  readonly duplicates: number[] = [];
  readonly schedules = new Set<string>();
  lines = 0;
  torn = 0;
  private leastEpochMs = Number.POSITIVE_INFINITY;
  private mostEpochMs = Number.NEGATIVE_INFINITY;

  get epochSpreadMs(): number {
    return Math.max(0, this.mostEpochMs - this.leastEpochMs);
  }

  get epochMs(): number | null {
    return Number.isFinite(this.leastEpochMs) ? this.leastEpochMs : null;
  }

  /** False: not a line of k6's. Lines of other metrics are not even parsed. */
  take(line: string): boolean {
    if (line === '' || line === '\r') return true;
    if (!line.startsWith('{')) return false;
    const isOurs = line.includes(METRICS.requests) || line.includes(METRICS.sent);
    if (!isOurs) return line.trimEnd().endsWith('}');
    const point = parsed(line);
    if (point === undefined) return false;
    if (point.type === 'Point') this.point(point);
    return true;
  }

  private point({ metric, data }: PointLine): void {
    const text = data?.metadata?.['loadline'] ?? '';
    if (metric === METRICS.sent) this.sent(text);
    if (metric !== METRICS.requests) return;
    const facts = decodeFacts(text);
    if (facts === undefined) {
      throw new UserError(`k6 output: expected metadata of ${METRICS.requests}, got "${text}"`);
    }
    const digest = data?.tags?.[SCHEDULE_TAG];
    if (digest !== undefined) this.schedules.add(digest);
    if (this.facts.has(facts.seq)) this.duplicates.push(facts.seq);
    else this.facts.set(facts.seq, facts);
    this.epoch(String(data?.time), facts);
  }

  private sent(text: string): void {
    const [seq, sentUs] = text.split(' ').map(Number);
    if (seq !== undefined && sentUs !== undefined && !this.sentUs.has(seq)) {
      this.sentUs.set(seq, sentUs);
    }
  }

  /** A point is stamped when it is made, which is right after the end of its request. */
  private epoch(time: string, { endUs }: Facts): void {
    const epochMs = Date.parse(time) - endUs / 1000;
    if (Number.isNaN(epochMs)) return;
    this.leastEpochMs = Math.min(this.leastEpochMs, epochMs);
    this.mostEpochMs = Math.max(this.mostEpochMs, epochMs);
  }
}

function parsed(line: string): PointLine | undefined {
  try {
    return JSON.parse(line) as PointLine;
  } catch {
    return undefined;
  }
}

async function* linesIn(path: string): AsyncGenerator<string> {
  try {
    const isPacked = await isGzip(path);
    const file = createReadStream(path);
    const input: Readable = isPacked ? file.pipe(createGunzip()) : file;
    file.on('error', (error) => input.destroy(error));
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    if (error instanceof UserError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UserError(`${path}: expected k6's output, whole and readable, got ${code}`);
  }
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}
