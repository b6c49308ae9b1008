import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { perProcess } from '../../src/commands/gateway.ts';
import { ledgerCommand } from '../../src/commands/ledger.ts';
import { type Claim, claimsLine } from '../../src/drills/drill.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

const claim = (verdict: Claim['verdict']): Claim => ({ claim: 'c', measured: 'm', verdict });

it('speaks of one as of one', async () => {
  expect(claimsLine([claim('holds'), claim('holds'), claim('does not hold')])).toBe(
    'Of 3 claims of the runbook 2 hold, 0 hold in part, 1 does not.',
  );
  expect(claimsLine([claim('in part')])).toBe(
    'Of 1 claim of the runbook 0 hold, 1 holds in part, 0 do not.',
  );
  expect(perProcess(parseScenario({ arrivals: { ratePerS: 1 }, gate: { slots: 1 } }))).toMatch(
    /^1 slot in this process/,
  );
});

it('counts one torn line of a ledger as one', async () => {
  const place = mkdtempSync(join(tmpdir(), 'loadline-counted-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process.stdout, 'write').mockImplementation((_text, done?: unknown) => {
    if (typeof done === 'function') done();
    return true;
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const file = join(place, 'ledger.jsonl');
  const event = { task_id: 't', event: 'hold', action: 'hold', reason: 'x', ts_ms: 1 };
  writeFileSync(file, `${JSON.stringify(event)}\n{"task_id": "t`);
  await ledgerCommand().parseAsync([file], { from: 'user' });
  expect(said.mock.calls.join('')).toMatch(/, 1 torn line\n/);
});
