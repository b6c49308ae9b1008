import { UserError } from '../errors.ts';
import { pageDocument } from './document.ts';
import { html } from './html.ts';

/** One page of a site, as made by `renderPage` and its like. */
export interface SitePage {
  /** A file name without its ending, unique in the site. */
  readonly name: string;
  readonly title: string;
  /** One sentence on what the page shows. */
  readonly summary: string;
  readonly page: string;
}

const FILE_NAME = /^[A-Za-z0-9][\w.-]*$/;

/**
 * A static site: contents by path, with an index that links to each page.
 * @throws UserError for no page, a name that is no file name, or one that is taken
 */
export async function renderIndex(
  pages: readonly SitePage[],
): Promise<ReadonlyMap<string, string>> {
  if (pages.length === 0) throw new UserError('publish: expected at least one run, got none');
  const site = new Map<string, string>();
  for (const { name, page } of pages) {
    const path = `${name}.html`;
    if (!FILE_NAME.test(name)) throw new UserError(`publish: expected a file name, got '${name}'`);
    if (name === 'index' || site.has(path))
      throw new UserError(`publish: '${name}' is taken twice`);
    site.set(path, page);
  }
  const items = pages.map(
    ({ name, title, summary }) =>
      html`<li><a href="${name}.html">${title}</a><p>${summary}</p></li>\n`,
  );
  const body = html`<main><h1>Reports</h1><ul class="pages">${items}</ul></main>`;
  const index = await pageDocument({ title: 'Reports', body, charts: [], words: false });
  return new Map([['index.html', index], ...site]);
}
