import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeLine, openLedger, readLedger } from '../../src/ledger/codec.ts';
import type { GateLine } from '../../src/ledger/lines.ts';

const HEADER = { ledger: 'gate', schemaVersion: 1 } as const;

async function* inPieces(text: string, cuts: readonly number[] = []): AsyncGenerator<string> {
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    yield text.slice(from, cut);
    from = cut;
  }
  yield text.slice(from);
}

async function read(text: string, cuts: readonly number[] = []) {
  const ledger = await readLedger('gate', inPieces(text, cuts), 'gate.jsonl');
  const lines: GateLine[] = [];
  for await (const { line } of ledger.lines) lines.push(line);
  return { lines, torn: ledger.torn() };
}

const line = fc.oneof<fc.Arbitrary<GateLine>[]>(
  fc.record({ t: fc.nat(), busy: fc.nat() }),
  fc.record({ t: fc.nat(), in: fc.record({ type: fc.constant('cancel' as const), id: fc.nat() }) }),
  fc.record({
    t: fc.nat(),
    out: fc.record({ type: fc.constant('drained' as const), atUs: fc.nat() }),
  }),
);

describe('a ledger', () => {
  it('gives back what was written, wherever the reader was cut', async () => {
    const law = fc.asyncProperty(fc.array(line), fc.array(fc.nat(400)), async (lines, cuts) => {
      const text = [HEADER, ...lines]
        .map((value) => encodeLine<'gate'>(value as GateLine))
        .join('');
      expect(await read(text, cuts)).toEqual({ lines, torn: 0 });
    });
    await fc.assert(law, { numRuns: 100 });
  });

  it('skips and counts a last line that was torn, at any place', async () => {
    const whole = `${JSON.stringify(HEADER)}\n{"t":1,"busy":2}\n`;
    const last = '{"t":12,"busy":34}';
    for (let n = 1; n < last.length; n++) {
      expect(await read(whole + last.slice(0, n))).toEqual({ lines: [{ t: 1, busy: 2 }], torn: 1 });
    }
    expect((await read(whole + last)).torn).toBe(0);
  });

  it('names the line that is broken in the middle', async () => {
    const text = `${JSON.stringify(HEADER)}\n{"t":1,"bu\n{"t":2,"busy":2}\n`;
    await expect(read(text)).rejects.toThrow('gate.jsonl:2: expected JSON, got {"t":1,"bu');
    const odd = `${JSON.stringify(HEADER)}\n{"t":2,"wire":{}}\n`;
    await expect(read(odd)).rejects.toThrow('gate.jsonl:2: expected {t, in | out | busy}');
  });

  it('refuses a later version, another ledger, an empty file and one that is not there', async () => {
    const later = '{"ledger":"gate","schemaVersion":2}\n';
    await expect(read(later)).rejects.toThrow('gate.jsonl:1: expected schemaVersion 1, got 2');
    const other = '{"ledger":"client","schemaVersion":1}\n';
    await expect(read(other)).rejects.toThrow('expected the header of a gate ledger, got client');
    await expect(read('')).rejects.toThrow('expected a gate ledger, got no line');
    await expect(openLedger('gate', '/nowhere/gate.jsonl')).rejects.toThrow('ENOENT');
  });
});
