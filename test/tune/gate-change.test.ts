import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { canShareGate, cutGateLedger } from '../../src/commands/live-gate-change.ts';
import { encodeLine, readLedger } from '../../src/ledger/codec.ts';
import type { GateLine } from '../../src/ledger/lines.ts';
import { replayGate } from '../../src/ledger/replay.ts';
import { admissionConfig, policyOf } from '../../src/scenario/machines.ts';
import { underSetting } from '../../src/tune/setting.ts';
import { smallRush } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'loadline-cut-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const under = (setting: Record<string, unknown>) => underSetting(smallRush(), setting);

describe('one gate plays all settings', () => {
  it('where its policy alone differs', () => {
    const settings = [{ 'gate.maxWaitS': 3 }, { 'gate.slots': 9 }, { 'gate.ageRejectS': 1e9 }];
    expect(canShareGate(settings.map(under))).toBe(true);
  });

  it.each([
    ['arrivals', { 'arrivals.ratePerS': 2 }],
    ['the endpoint', { 'model.slots': 3 }],
    ['a class', { 'classes.default.priority': 3 }],
    ['a rule that has learned how long work takes', { 'gate.predictedWaitS': 3 }],
    ['a rule that watches progress', { 'gate.killWindowS': 3 }],
  ])('but not where they differ in %s', (_, setting) => {
    const [name = ''] = Object.keys(smallRush().classes);
    const own = Object.entries(setting).map(([path, value]) => [
      path.replace('classes.default', `classes.${name}`),
      value,
    ]);
    expect(canShareGate([smallRush(), under(Object.fromEntries(own))])).toBe(false);
  });
});

describe('the ledger of a gate that was changed', () => {
  const [strict, lax] = [under({ 'gate.maxWaitS': 1 }), under({ 'gate.maxWaitS': 9 })];
  const arrive = (id: number) =>
    ({
      type: 'arrive',
      id,
      seq: 0,
      attempt: 0,
      class: Object.keys(strict.classes)[0] ?? '',
    }) as const;
  const served = (id: number, t: number): GateLine[] => [
    { t, in: arrive(id) },
    { t, out: { type: 'granted', atUs: t, id, waitUs: 0 } },
    { t: t + 5, in: { type: 'release', id, outcome: 'completed' } },
  ];
  const { upstreamDown: _own, ...policies } = policyOf(strict.gate);
  const change = (t: number, maxWaitUs: number): GateLine => ({
    t,
    in: { type: 'configure', policy: { ...policies, maxWaitUs } },
  });

  it('is cut into pieces that replay by themselves', async () => {
    const path = join(folder, 'gate.jsonl');
    const header = { ledger: 'gate', schemaVersion: 1, config: admissionConfig(strict) } as const;
    const lines = [
      ...[{ t: 0, busy: 0 }, change(1, 1e6), ...served(1, 2)],
      // The gate's own change of one field begins nothing.
      { t: 8, in: { type: 'configure', policy: { upstreamDown: false } } } as const,
      ...[change(10, 9e6), ...served(2, 20), ...served(3, 30)],
    ];
    writeFileSync(
      path,
      encodeLine<'gate'>(header) + lines.map((line) => encodeLine<'gate'>(line)).join(''),
    );
    const pieces = await cutGateLedger(path, [strict, lax]);
    const read = pieces.map((text, i) => readLedger('gate', asChunks(text), `piece ${i}`));
    const [first, second] = await Promise.all(read);
    expect(first?.header.config.policy.maxWaitUs).toBe(1e6);
    expect(second?.header.config.policy.maxWaitUs).toBe(9e6);
    const replayed = await Promise.all(
      [first, second].map((piece) => piece && replayGate(piece.header, piece.lines)),
    );
    expect(replayed[0]).toEqual({ inputs: 4, effects: 1, difference: null });
    expect(replayed[1]).toEqual({ inputs: 5, effects: 2, difference: null });
  });
});

async function* asChunks(text: string): AsyncGenerator<string> {
  yield text;
}
