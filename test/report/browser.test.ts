import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderPage } from '../../src/report/page.ts';
import { BROWSER_PATH, complaintsOf, NO_BROWSER, openBrowser } from '../support/browser.ts';
import { shippedScenario, simulated } from '../support/simulated.ts';

/** Set on a chart when the script has drawn it again where its picture stood. */
const DRAWN = '.chart[data-drawn=true] svg';
const WIDE = { width: 1280, height: 900 };

interface Open {
  readonly url: string;
  readonly page: Page;
  readonly complaints: readonly string[];
}

describe.skipIf(BROWSER_PATH === undefined)(`a page in a browser, from a file${NO_BROWSER}`, () => {
  let browser: Browser;
  let folder: string;
  let single: Open;
  let comparison: Open;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'loadline-page-'));
    browser = await openBrowser();
    const run = simulated(await shippedScenario('smoke'));
    const open = simulated(await shippedScenario('smoke', 'gate.maxWaitS=null'));
    single = await opened('single', await renderPage([run]));
    comparison = await opened('comparison', await renderPage([run, open]));
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function opened(name: string, text: string): Promise<Open> {
    const path = join(folder, `${name}.html`);
    writeFileSync(path, text);
    const url = pathToFileURL(path).href;
    const page = await browser.newPage({ viewport: WIDE });
    const complaints = complaintsOf(page);
    await page.goto(url);
    const charts = await page.locator('.chart').count();
    await page
      .locator(DRAWN)
      .nth(charts - 1)
      .waitFor();
    return { url, page, complaints };
  }

  it('draws every chart without an error, a violation of its policy or a request', async () => {
    for (const { page, complaints } of [single, comparison]) {
      const charts = await page.locator('.chart').count();
      expect(charts).toBeGreaterThan(3);
      expect(await page.locator(DRAWN).count()).toBe(charts);
      expect(complaints).toEqual([]);
    }
  });

  it('has no sideways scroll, down to 360 px', async () => {
    for (const { page } of [single, comparison]) {
      for (const width of [360, 390, 768, 1280]) {
        await page.setViewportSize({ ...WIDE, width });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      }
    }
  });

  it('says on the spot what the pointer is on', async () => {
    const { page } = single;
    const chart = page.locator('#age-decisions');
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    await page.mouse.move((box?.x ?? 0) + 80, (box?.y ?? 0) + 150);
    await page.locator('.tip').waitFor({ state: 'visible' });
    expect(await page.locator('.tip').textContent()).toMatch(/^Empty queue\ndecisions \d+/);
  });

  it('is dark where the reader asked for it, and light on paper', async () => {
    const { page } = single;
    const paper = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await paper()).toBe('rgb(20, 24, 29)');
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    expect(await paper()).toBe('rgb(255, 255, 255)');
  });

  it('shows its pictures where scripts are off', async () => {
    const page = await browser.newPage({ viewport: WIDE, javaScriptEnabled: false });
    await page.goto(single.url);
    const box = await page.locator('#age-decisions svg').boundingBox();
    expect(box?.width).toBeGreaterThan(400);
    expect(box?.height).toBeGreaterThan(150);
  });

  it('runs no script that is not its own', async () => {
    const { page, complaints } = comparison;
    const before = complaints.length;
    await page.evaluate(
      "{ const s = document.createElement('script'); s.textContent = 'window.hit = 1'; document.body.append(s); }",
    );
    await expect
      .poll(() => complaints.slice(before).join(' '))
      .toContain('Content Security Policy');
    expect(await page.evaluate('window.hit')).toBeUndefined();
  });
});
