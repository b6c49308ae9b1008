import type { Result } from '../result/types.ts';

/** The page of one run, or of several side by side. Loaded only when a page is made: it is heavy. */
export async function pageOf(_results: readonly Result[]): Promise<string> {
  return '';
}
