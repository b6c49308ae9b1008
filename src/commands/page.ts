import type { Result } from '../result/types.ts';
import { version } from './version.ts';

/** What a page says of who made it. */
export const MAKER = `loadline ${version}`;

/** The page of one run, or of several side by side. Loaded only when a page is made: drawing is heavy. */
export async function pageOf(results: readonly Result[], title?: string): Promise<string> {
  const { renderPage } = await import('../report/page.ts');
  return renderPage(results, { maker: MAKER, ...(title === undefined ? {} : { title }) });
}
