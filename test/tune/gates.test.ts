/** Scenarios of one gate and of several: what is set where, what is kept, and what goes off with it. */
import { describe, expect, it } from 'vitest';
import { changesOf, gatesOf } from '../../src/tune/gates.ts';
import { tuneText } from '../../src/tune/tune-text.ts';
import type { TuneDocument } from '../../src/tune/types.ts';
import { smallRush, tuned } from './support.ts';

const FEW = { replications: 8 };
const PATIENCE_MS = 60_000;
const line = ({ recommendation }: TuneDocument, name: string) =>
  recommendation.lines.find((one) => one.name === name)?.text ?? '';

describe('a gate with several rules', { timeout: PATIENCE_MS }, () => {
  it('is told of each rule that goes off with the one that is set', async () => {
    const now = smallRush({ gate: { slots: 4, ageRejectS: 30, depthMultiple: 5 } });
    const axes = [{ path: 'gate.ageRejectS', values: [1, 2, 4, 6] }];
    const document = await tuned(now, { axes, ...FEW });
    expect(document.recommendation.headline).toMatch(
      /^SET ageRejectS 30 -> \d, depthMultiple 5 -> off\./,
    );
    expect(line(document, 'DO')).toMatch(/\{"ageRejectS":\d,"depthMultiple":null\}/);
    expect(line(document, 'CHECK')).toMatch(/UNDO: ageRejectS 30, depthMultiple 5$/);
  });

  it('keeps its rules where slots are what is tuned', () => {
    const now = smallRush({ gate: { slots: 4, ageRejectS: 30, maxWaitS: 1e9 } });
    expect(changesOf(now, ['gate.slots'], { 'gate.slots': 6 })).toEqual([
      { path: 'gate.slots', before: 4, after: 6 },
    ]);
    // A rule that nothing reaches is off already.
    const changes = changesOf(now, ['gate.predictedWaitS'], { 'gate.predictedWaitS': 6 });
    expect(changes.map(({ path }) => path)).toEqual(['gate.predictedWaitS', 'gate.ageRejectS']);
  });
});

describe('scenarios of several gates', { timeout: PATIENCE_MS }, () => {
  const good = smallRush({ name: 'good', gate: { slots: 4, maxWaitS: 6 } });
  const alike = smallRush({ name: 'alike', seed: 5, gate: { slots: 4, maxWaitS: 6 } });
  const lax = smallRush({ name: 'Lax', gate: { slots: 4, ageRejectS: 30, depthMultiple: 9 } });
  const axes = [{ path: 'gate.maxWaitS', values: [4, 5, 7] }];
  const of = (...scenarios: (typeof good)[]) => ({
    ...{ scenarios, digests: scenarios.map(({ name }) => name), axes, ...FEW },
  });

  it('are told apart by their rules', () => {
    const names = gatesOf([good, lax, alike], ['gate.maxWaitS']).map((of) =>
      of.map(({ name }) => name),
    );
    expect(names).toEqual([['good', 'alike'], ['Lax']]);
  });

  it('are judged each by its own: one keeps what is good, the other is set, and both are named', async () => {
    const document = await tuned(good, of(good, lax, alike));
    expect(document.recommendation.headline).toMatch(
      /^KEEP maxWaitS 6 IN good, alike\. SET maxWaitS \d, ageRejectS 30 -> off, depthMultiple 9 -> off IN Lax\. .*SLOTS: 4 -> \d+.* IN Lax\. ADD SLOTS: 4 -> \d+ IN good\. ADD SLOTS: 4 -> \d+ IN alike\.$/,
    );
    expect(line(document, 'DO')).toMatch(
      /scale to \d+ slots .* in Lax, scale to \d+ slots in good, .* in alike, and with or without these slots: good, alike: change nothing; Lax: PUT \/admin\/policy \{"maxWaitS":\d,"ageRejectS":null,"depthMultiple":null\}/,
    );
    expect(line(document, 'CHECK')).toMatch(
      /^in the next run like Lax, before slots are added: .*UNDO: Lax: maxWaitS off, ageRejectS 30, depthMultiple 9$/,
    );
    expect(line(document, 'NOW')).toMatch(/^Lax: goodput/);
    expect(line(document, 'EACH')).toMatch(/^good, kept: goodput .*; Lax: goodput /);
    expect(document.chosen?.binding).toBe('Lax');
    const [present] = document.baselines;
    expect(present).toMatchObject({ allowed: false, allowedIn: [true, false, true] });
    expect(tuneText(document)).toMatch(/^present \(good\).* yes$/m);
    expect(tuneText(document)).toMatch(/^present \(Lax\).* no$/m);
  });

  it('are all kept where the best of what was tried is better in none', async () => {
    const other = smallRush({ name: 'other', gate: { slots: 4, maxWaitS: 5.5 } });
    const { recommendation } = await tuned(good, of(good, other));
    expect(recommendation.action).toBe('keep');
    expect(recommendation.headline).toContain('KEEP maxWaitS 6 IN good; maxWaitS 5.5 IN other.');
  });
});
