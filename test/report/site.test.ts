import { describe, expect, it } from 'vitest';
import { renderIndex, type SitePage } from '../../src/report/site.ts';

const page = (name: string, title = name): SitePage => ({
  name,
  title,
  summary: 'What it shows.',
  page: `<!doctype html><p>${name}`,
});

describe('a site', () => {
  it('is an index that links to every page, and the pages as they are', async () => {
    const site = await renderIndex([page('rush'), page('burst')]);
    expect([...site.keys()]).toEqual(['index.html', 'rush.html', 'burst.html']);
    expect(site.get('rush.html')).toBe('<!doctype html><p>rush');
    expect(site.get('index.html')).toContain('<a href="burst.html">burst</a>');
    expect(site.get('index.html')).toContain("script-src 'none'");
  });

  it('writes titles as text', async () => {
    const site = await renderIndex([page('rush', '<script>alert(1)</script>')]);
    expect(site.get('index.html')).not.toContain('<script');
  });

  it.each([
    ['no page', [], 'expected at least one run'],
    ['a name that leaves the folder', [page('../rush')], 'expected a file name'],
    ['a name with a slash', [page('a/b')], 'expected a file name'],
    ['a name twice', [page('rush'), page('rush')], 'taken twice'],
    ['the name of the index', [page('index')], 'taken twice'],
  ])('refuses %s', async (_, pages, message) => {
    await expect(renderIndex(pages)).rejects.toThrow(message);
  });
});
