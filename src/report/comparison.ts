import type { Result } from '../result/types.ts';
import { pageDocument } from './document.ts';
import { html } from './html.ts';

export async function comparisonPage(
  results: readonly Result[],
  _left: readonly Result[],
  _options: { readonly title?: string },
): Promise<string> {
  return pageDocument({ title: 'comparison', body: html`${results.length}`, charts: [] });
}
