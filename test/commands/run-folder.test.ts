import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import { documentFolder, writeDocument } from '../../src/commands/document-folder.ts';
import { newRunPath, openRunFolder } from '../../src/commands/run-folder.ts';
import { simulateResult } from '../../src/commands/simulate.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

const scenario = parseScenario({ durationS: 5, arrivals: { process: 'poisson', ratePerS: 2 } });
let place = '';
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'loadline-folder-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const finish = (folder: ReturnType<typeof openRunFolder>) =>
  folder.finish(simulateResult(scenario), buildSchedule(scenario));

describe('the folder of a run', () => {
  it('is nowhere until it is whole', async () => {
    const path = join(place, 'deep', 'run');
    const folder = openRunFolder(path, false);
    folder.put('gate.jsonl', 'evidence\n');
    expect(existsSync(path)).toBe(false);
    expect(await finish(folder)).toBe(join(path, 'report.html'));
    expect(readFileSync(join(path, 'gate.jsonl'), 'utf8')).toBe('evidence\n');
    expect(readdirSync(join(place, 'deep'))).toEqual(['run']);
  });

  it('leaves nothing behind when the run fails', () => {
    const folder = openRunFolder(join(place, 'run'), false);
    folder.put('gate.jsonl', '');
    folder.abandon();
    expect(readdirSync(place)).toEqual([]);
  });

  it('leaves nothing behind when its process ends in the middle', () => {
    openRunFolder(join(place, 'one'), false).put('gate.jsonl', '');
    openRunFolder(join(place, 'two'), false).put('gate.jsonl', '');
    expect(readdirSync(place)).toHaveLength(2);
    const [atExit] = process.listeners('exit').filter(({ name }) => name === 'removeUnfinished');
    atExit?.(130);
    expect(readdirSync(place)).toEqual([]);
  });

  it('is looked at and not made until there is something to put into it', () => {
    openRunFolder(join(place, 'deep', 'run'), false);
    expect(readdirSync(place)).toEqual([]);
  });

  it('loses neither of two runs that go to one new place at once, and tells the second', async () => {
    const path = join(place, 'run');
    const [first, second] = [openRunFolder(path, false), openRunFolder(path, false)];
    first.put('gate.jsonl', 'of the first\n');
    await finish(first);
    second.put('gate.jsonl', 'of the second\n');
    await expect(finish(second)).rejects.toThrow(
      `${path}: expected a new folder, got one that was filled meanwhile; this is in ${path}-2`,
    );
    expect(readFileSync(join(path, 'gate.jsonl'), 'utf8')).toBe('of the first\n');
    expect(readFileSync(join(`${path}-2`, 'gate.jsonl'), 'utf8')).toBe('of the second\n');
    expect(existsSync(join(`${path}-2`, 'report.html'))).toBe(true);
    expect(readdirSync(place)).toEqual(['run', 'run-2']);
  });

  it('is written over by the second of two where that is forced', async () => {
    const path = join(place, 'run');
    const folder = openRunFolder(path, true);
    mkdirSync(path);
    writeFileSync(join(path, 'result.json'), 'of another');
    expect(await finish(folder)).toBe(join(path, 'report.html'));
    expect(readFileSync(join(path, 'result.json'), 'utf8')).toContain('"schemaVersion": 1');
  });

  it('does not write over another without being forced', async () => {
    const path = join(place, 'run');
    mkdirSync(path);
    writeFileSync(join(path, 'result.json'), 'old');
    expect(() => openRunFolder(path, false)).toThrow(/--force writes over them/);
    await finish(openRunFolder(path, true));
    expect(readFileSync(join(path, 'result.json'), 'utf8')).toContain('"schemaVersion": 1');
  });

  it('is refused at once where it cannot be', () => {
    writeFileSync(join(place, 'file'), '');
    for (const force of [true, false]) {
      for (const path of [join(place, 'file'), join(place, 'file', 'run'), '/proc/none/run']) {
        expect(() => openRunFolder(path, force)).toThrow(/a folder that can be written/);
        expect(() => documentFolder('tuned', { out: path, force })).toThrow(
          /a folder that can be written/,
        );
      }
    }
  });

  it('is never the present folder for want of a name', () => {
    expect(() => openRunFolder('', true)).toThrow('--out: expected the path of a folder, got none');
  });

  it('says which file no longer fits on the disk', () => {
    const folder = openRunFolder(join(place, 'run'), false);
    mkdirSync(folder.file('result.json'));
    expect(() => folder.put('result.json', '')).toThrow(/run: expected to write result.json, got /);
    folder.abandon();
  });

  it('is called after the scenario and the hour', () => {
    const at = new Date('2026-03-14T09:15:00Z');
    expect(newRunPath('my run/2', at)).toBe(join('runs', 'my-run-2-20260314-091500'));
  });
});

describe('a document that does not fit on the disk', () => {
  const told = { kind: 'sweep' };

  it('leaves what stood there, and nothing of itself', () => {
    mkdirSync(join(place, 'out', 'report.html', 'taken'), { recursive: true });
    writeFileSync(join(place, 'out', 'sweep.json'), 'old');
    // A page that cannot be written, as when the disk fills up behind the JSON.
    expect(() =>
      writeDocument(join(place, 'out'), told, 'page', { quiet: true, force: true }),
    ).toThrow(/out: expected a folder that can be written, got E/);
    expect(readdirSync(join(place, 'out')).sort()).toEqual(['report.html', 'sweep.json']);
    expect(readFileSync(join(place, 'out', 'sweep.json'), 'utf8')).toBe('old');
  });

  it('goes beside a place that another has filled meanwhile, and says so', () => {
    const path = join(place, 'new');
    writeDocument(path, told, 'first', { quiet: true });
    expect(() => writeDocument(path, told, 'second', { quiet: true })).toThrow(
      /new: expected a new folder, .* meanwhile; this is in .*new-2$/,
    );
    expect(readFileSync(join(path, 'report.html'), 'utf8')).toBe('first');
    expect(readFileSync(join(`${path}-2`, 'report.html'), 'utf8')).toBe('second');
  });

  it('is moved to its place when it is whole', () => {
    writeDocument(join(place, 'new'), told, 'page', { quiet: true });
    expect(readdirSync(join(place, 'new')).sort()).toEqual(['report.html', 'sweep.json']);
    writeDocument(join(place, 'new'), told, 'again', { quiet: true, force: true });
    expect(readFileSync(join(place, 'new', 'report.html'), 'utf8')).toBe('again');
    expect(readdirSync(join(place, 'new'))).toHaveLength(2);
  });
});
