import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const CANDIDATES = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** A browser of this machine, or undefined: then a test that needs one skips and says so. */
export const BROWSER_PATH = CANDIDATES.find((path) => path !== undefined && existsSync(path));

export const NO_BROWSER = BROWSER_PATH === undefined ? ' (skipped: no chromium here)' : '';

export async function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: BROWSER_PATH ?? '',
    args: ['--no-sandbox', '--disable-gpu'],
  });
}

/** What a page complained of: errors, warnings, violations of its policy, and requests to anywhere. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith('file:')) complaints.push(`asked for ${request.url()}`);
  });
  return complaints;
}
