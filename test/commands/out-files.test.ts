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
import { alertsCommand } from '../../src/commands/alerts.ts';
import { k6Command } from '../../src/commands/k6.ts';
import { checkOutFiles, writeOutFiles } from '../../src/commands/out-files.ts';
import { publishCommand } from '../../src/commands/publish.ts';
import { reportCommand } from '../../src/commands/report.ts';

let place = '';
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'loadline-out-'));
  writeFileSync(join(place, 'file'), 'old');
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

describe('files that a command writes at its end', () => {
  it('are looked for before: a place that cannot be is bad input', () => {
    for (const path of [join(place, 'file', 'model.json'), '/proc/none/model.json', place, '']) {
      for (const over of [false, true]) {
        expect(() => checkOutFiles([path], over)).toThrow(
          expect.objectContaining({
            exitCode: 2,
            message: expect.stringMatching(/: expected .*got /),
          }),
        );
      }
    }
  });

  it('are not written over unless that is asked for', () => {
    expect(() => checkOutFiles([join(place, 'new'), join(place, 'file')], false)).toThrow(
      /file: expected a new file, got one that is there/,
    );
    checkOutFiles([join(place, 'file')], true);
  });

  it('may be a device, and leave nothing behind when they are looked for', () => {
    checkOutFiles(['/dev/null', join(place, 'deep', 'er', 'model.json')], false);
    expect(readdirSync(place)).toEqual(['file']);
  });

  it('are written with the folders that are missing, all or none', () => {
    const deep = join(place, 'deep', 'model.json');
    writeOutFiles({ [deep]: 'model' });
    expect(readFileSync(deep, 'utf8')).toBe('model');
    mkdirSync(join(place, 'page.html'));
    const both = { [join(place, 'new.json')]: 'model', [join(place, 'page.html', 'no', '..')]: '' };
    expect(() => writeOutFiles(both)).toThrow(
      /new\.json: expected a file that can be written, got E/,
    );
    expect(existsSync(join(place, 'new.json'))).toBe(false);
  });

  it.each([
    ['alerts', alertsCommand, ['no-such-scenario']],
    ['k6', k6Command, ['mm4']],
    ['report', reportCommand, ['reports/rush']],
    ['publish', publishCommand, ['no-such-run']],
  ])('are looked for first by %s', async (_, command, argv) => {
    const out = join(place, 'file', 'out');
    const ran = command().parseAsync([...argv, '--out', out], { from: 'user' });
    await expect(ran).rejects.toMatchObject({
      ...{ exitCode: 2, message: expect.stringContaining('expected a file that can be written') },
    });
  });
});
