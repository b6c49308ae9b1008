import { UserError } from '../errors.ts';
import { pageDocument } from './document.ts';
import { type Html, html } from './html.ts';

/** One page of a site, as made by `renderPage` and its like. */
export interface SitePage {
  /** A file name without its ending, unique in the site. */
  readonly name: string;
  readonly kind: PageKind;
  /** How it came about: `simulated, 20 seeds`. */
  readonly played?: string;
  readonly title: string;
  /** One sentence on what the page shows. */
  readonly summary: string;
  readonly page: string;
}

/** What a page is made of, which decides what its advice rests on. */
export type PageKind = 'run' | 'tuning' | 'sweep' | 'page';

/** Two pages on one scenario may advise differently: a reader has to see why. */
const KINDS: Readonly<Record<PageKind, string>> = {
  run: 'A run advises for arrivals of its kind, and tries slots at coarse steps.',
  tuning: 'A tuning searches a range over many seeds, and counts the least slots there are.',
  sweep: 'A sweep compares the values that it was given.',
  page: '',
};

const FILE_NAME = /^[A-Za-z0-9][\w.-]*$/;

function kindText(kind: PageKind, played: string | undefined): string {
  const name = `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`;
  return played === undefined ? name : `${name}, ${played}`;
}

/** Said where there are several kinds to tell apart. */
function kindsNote(pages: readonly SitePage[]): Html {
  const kinds = (Object.keys(KINDS) as PageKind[]).filter(
    (kind) => KINDS[kind] !== '' && pages.some((page) => page.kind === kind),
  );
  return html`${kinds.length > 1 && html`<p class="source">${kinds.map((kind) => KINDS[kind]).join(' ')} So they may differ on the same scenario.</p>`}`;
}

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
    ({ name, kind, played, title, summary }) =>
      html`<li><small class="badge">${kindText(kind, played)}</small> <a href="${name}.html">${title}</a><p>${summary}</p></li>\n`,
  );
  const body = html`<main><h1>Reports</h1>${kindsNote(pages)}<ul class="pages">${items}</ul></main>`;
  const index = await pageDocument({ title: 'Reports', body, charts: [], words: false });
  return new Map([['index.html', index], ...site]);
}
