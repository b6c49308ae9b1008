import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calibrationOf, type Level } from '../../src/calibrate/calibration.ts';
import { calibrationPage } from '../../src/commands/calibration-page.ts';
import { pageDocument } from '../../src/report/document.ts';
import { table } from '../../src/report/tables.ts';
import { BROWSER_PATH, NO_BROWSER, openBrowser } from '../support/browser.ts';

/** For each cell of a wide table: what its label has, and what its longest word needs, in pixels. */
const LABELS = `[...document.querySelectorAll('.wide td')].map((cell) => {
  const own = getComputedStyle(cell, '::before');
  const canvas = document.createElement('canvas').getContext('2d');
  canvas.font = own.font;
  const words = cell.dataset.label.split(' ').map((word) => canvas.measureText(word).width);
  return {
    has: Number.parseFloat(getComputedStyle(cell).gridTemplateColumns),
    needs: Math.max(...words),
  };
})`;

/** Labels below a picture of the axis of times, as drawn, from left to right. */
const TICKS = `[...document.querySelectorAll('#service svg text')]
  .filter((text) => /^0\\.\\d{3,}$/.test(text.textContent) && text.getAttribute('opacity') !== '0')
  .map((text) => text.getBoundingClientRect())
  .map(({ left, right }) => ({ left, right }))`;

describe.skipIf(BROWSER_PATH === undefined)(`a page on a telephone${NO_BROWSER}`, () => {
  let browser: Browser;
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'loadline-narrow-'));
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function opened(text: string, width: number): Promise<Page> {
    const path = join(folder, `page-${width}.html`);
    writeFileSync(path, text);
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    await page.goto(pathToFileURL(path).href);
    return page;
  }

  it.each([390, 320])('breaks no word of a label in two at %i px', async (width) => {
    const head = ['setting', 'in time', 'turned away', 'kept serves more'];
    const row = ['no gate (not allowed)', '56.5 %', '0.0 %', '26.0 points (25.0 to 27.0)'];
    const body = table('', head, [row], 'wide');
    const page = await opened(await pageDocument({ title: 't', body, charts: [] }), width);
    const labels = (await page.evaluate(LABELS)) as { has: number; needs: number }[];
    expect(labels).toHaveLength(3);
    for (const { has, needs } of labels) expect(has).toBeGreaterThanOrEqual(Math.floor(needs));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await page.close();
  });

  it.each([390, 320])('keeps the labels of short times apart at %i px', async (width) => {
    const levels = [1, 2, 4].map((connections): Level => {
      const samples = Array.from({ length: 100 }, (_, i) => ({
        ...{ connections, startS: i, endS: i + (0.0007 + (i % 17) * 0.00004) * connections },
        ...{ status: 200, inTokens: 5, outTokens: 9 },
      }));
      return { connections, samples, errors: 0, retryAfterS: null };
    });
    const calibration = calibrationOf(levels, 0.0001);
    if (calibration === undefined) throw new Error('expected a calibration');
    const page = await opened(await calibrationPage(calibration, levels, null, 'm.json'), width);
    await page.locator('#service[data-drawn=true] svg').waitFor();
    const ticks = (await page.evaluate(TICKS)) as { left: number; right: number }[];
    expect(ticks.length).toBeGreaterThan(1);
    for (const [i, { left }] of ticks.entries()) {
      if (i > 0) expect(left - (ticks[i - 1]?.right ?? 0)).toBeGreaterThan(7);
    }
    await page.close();
  });
});
