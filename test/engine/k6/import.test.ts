import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { importCommand } from '../../../src/commands/import.ts';
import { clientLines } from '../../../src/engine/k6/ledger-lines.ts';
import { readK6Output } from '../../../src/engine/k6/output.ts';
import { paceOf, sayRows } from '../../../src/engine/k6/rows.ts';
import { ClientFactsFold } from '../../../src/ledger/client-facts.ts';
import { scheduleDigest } from '../../../src/ledger/digest.ts';
import { createRowLaws } from '../../../src/ledger/laws.ts';
import { createFold } from '../../../src/result/fold.ts';
import type { Result } from '../../../src/result/types.ts';
import { runK6 } from '../../support/k6/stand-in.ts';
import { shippedScenario, simulated } from '../../support/simulated.ts';
import { made, replaying, simulatedRequests } from './fixtures.ts';

const folder = mkdtempSync(join(tmpdir(), 'loadline-k6-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const EPOCH = Date.UTC(2026, 0, 1) + 60_000;

/** The scenario `rush` on two instances, whose outputs are files. */
async function playTwice() {
  const scenario = await shippedScenario('rush');
  const { bundle, schedule } = await made(scenario, { instances: 2 });
  const server = replaying(simulatedRequests(scenario));
  const texts = [0, 1].map((index) => {
    const env = { LOADLINE_EPOCH_MS: String(EPOCH) };
    const startMs = EPOCH - 9_000 - index * 1234;
    return runK6(bundle.script, { server, env, startMs, segment: { index, of: 2 } }).ndjson;
  });
  return { scenario, schedule, texts, script: bundle.script };
}

let played: ReturnType<typeof playTwice> | undefined;

function outputs() {
  played ??= playTwice();
  return played;
}

function put(name: string, data: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, data);
  return path;
}

describe('the import of k6 output', () => {
  it('gives the figures of the run that it came from', async () => {
    const { scenario, schedule, texts } = await outputs();
    const paths = [put('a.json', texts[0] ?? ''), put('b.json.gz', gzipSync(texts[1] ?? ''))];
    const output = await readK6Output(paths);
    expect(output.duplicates).toEqual([]);
    expect(output.epochSpreadMs).toBeLessThan(1);
    const fold = createFold(scenario, { detail: 'full' });
    sayRows(output, schedule.arrivals, scenario, fold);
    const imported = fold.figures();
    const { outcomes, rates, responseS, waitS, refusalS, utilization, queueAgeS } =
      simulated(scenario);
    for (const [section, figures] of Object.entries({
      ...{ outcomes, rates, responseS, waitS, refusalS, queueAgeS },
      utilization: { slots: utilization.slots },
    })) {
      for (const [name, figure] of Object.entries(figures)) {
        const got = imported[`${section}.${name}`];
        if (figure === null) expect(got ?? null, `${section}.${name}`).toBeNull();
        else expect(got, `${section}.${name}`).toBeCloseTo(Number(figure), 4);
      }
    }
    expect(imported['rejectedBy.max_wait']).toBe(outcomes.expired);
    expect(fold.byQueueAge().reduce((sum, bin) => sum + bin.decisions, 0)).toBe(outcomes.offered);
  });

  it('keeps the laws of a run', async () => {
    const { scenario, schedule, texts } = await outputs();
    const output = await readK6Output([put('all.json', texts.join(''))]);
    const laws = createRowLaws();
    sayRows(output, schedule.arrivals, scenario, laws);
    expect(laws.end(schedule.arrivals.length)).toEqual([]);
  });

  it('writes a ledger that says the same again', async () => {
    const { schedule, texts } = await outputs();
    const output = await readK6Output([put('c.json', texts.join(''))]);
    const fold = new ClientFactsFold();
    let before = 0;
    for (const line of clientLines(output, schedule.arrivals)) {
      expect(line.t).toBeGreaterThanOrEqual(before);
      before = line.t;
      fold.take(line);
    }
    for (const [seq, facts] of output.facts) {
      const { sentUs, settledUs, outcome } = fold.bySeq.get(seq) ?? {};
      expect({ sentUs, settledUs, outcome }).toEqual({
        sentUs: facts.sentUs,
        settledUs: facts.endUs,
        outcome: facts.outcome,
      });
    }
    expect(fold.end?.interrupted).toBe(false);
  });

  it('counts what an instance that is missing would have sent as unsent', async () => {
    const { scenario, schedule, texts } = await outputs();
    const output = await readK6Output([put('half.json', texts[0] ?? '')]);
    const fold = createFold(scenario, { detail: 'figures' });
    sayRows(output, schedule.arrivals, scenario, fold);
    const missing = schedule.arrivals.filter(({ seq }) => seq % 2 === 1).length;
    expect(fold.figures()['outcomes.unsent']).toBe(missing);
    expect(paceOf(output, schedule.arrivals).sentUs.length).toBe(
      schedule.arrivals.length - missing,
    );
  });

  it('counts a file that is given twice once, and names the duplicates', async () => {
    const { texts } = await outputs();
    const path = put('twice.json', texts[0] ?? '');
    const output = await readK6Output([path, path]);
    expect(output.duplicates.length).toBe(output.facts.size);
  });

  it('skips a last line that was cut off, and refuses a broken one before it', async () => {
    const { texts } = await outputs();
    const text = texts[0] ?? '';
    const torn = await readK6Output([put('torn.json', text.slice(0, -20))]);
    expect(torn.torn).toBe(1);
    const broken = put('broken.json', `no json\n${text}`);
    await expect(readK6Output([broken])).rejects.toThrow(/broken\.json:1: expected a line of k6/);
  });

  it('says what a file is not', async () => {
    const other = `${JSON.stringify({ type: 'Point', metric: 'http_reqs', data: { value: 1 } })}\n`;
    await expect(readK6Output([put('other.json', other)])).rejects.toThrow(/expected points of/);
    const cut = put('cut.json.gz', gzipSync('{}\n'.repeat(9_999)).subarray(0, 40));
    await expect(readK6Output([cut])).rejects.toThrow(/cut\.json\.gz: expected k6's output, whole/);
    await expect(readK6Output([join(folder, 'none.json')])).rejects.toThrow(/none\.json: expected/);
  });
});

describe('loadline import', () => {
  it('makes a run of what two instances wrote, from the bundle alone', async () => {
    const { scenario, schedule, texts, script } = await outputs();
    const files = [put('one.json', texts[0] ?? ''), put('two.json', texts[1] ?? '')];
    const out = join(folder, 'run');
    const bundle = put('rush.k6.js', script);
    const quiet = vi.spyOn(process.stdout, 'write').mockImplementation((...given: unknown[]) => {
      const done = given.at(-1);
      if (typeof done === 'function') done();
      return true;
    });
    await importCommand().parseAsync(
      ['k6', ...files, '--scenario', bundle, '--out', out, '--quiet', '--json'],
      { from: 'user' },
    );
    quiet.mockRestore();
    const result = JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')) as Result;
    expect(result.engine).toBe('k6');
    expect(result.schedule.digest).toBe(scheduleDigest(schedule));
    expect(result.outcomes).toEqual(simulated(scenario).outcomes);
    expect(result.health.status).toBe('ok');
    const names = readdirSync(out);
    expect(names).toEqual(expect.arrayContaining(['client.jsonl', 'report.html', 'schedule.csv']));
  });

  it('refuses the output of another schedule', async () => {
    const { texts } = await outputs();
    const file = put('other-seed.json', texts[0] ?? '');
    const asked = ['k6', file, '--scenario', 'rush', '--seed', '9', '--quiet'];
    await expect(importCommand().parseAsync(asked, { from: 'user' })).rejects.toThrow(
      /expected the scenario of schedule/,
    );
  });
});
