import { describe, expect, it } from 'vitest';
import { renderIndex, type SitePage } from '../../src/report/site.ts';

const page = (name: string, title = name): SitePage => ({
  name,
  kind: 'run',
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

  it('says of what kind each page is, and why kinds may differ where there are several', async () => {
    const pages = [
      { ...page('rush', 'rush: KEEP. ADD SLOTS: 16 -> 24.'), played: 'simulated' },
      { ...page('rush-tune', 'rush: KEEP. ADD SLOTS: 16 -> 23.'), kind: 'tuning' as const },
    ];
    const index = (await renderIndex(pages)).get('index.html') ?? '';
    expect(index).toMatch(/>Run, simulated<\/small> <a href="rush\.html">/);
    expect(index).toMatch(/>Tuning<\/small> <a href="rush-tune\.html">/);
    expect(index).toMatch(/tries slots at coarse steps.*A tuning searches.*may differ/);
    const runs = (await renderIndex([page('a'), page('b')])).get('index.html');
    expect(runs).not.toContain('may differ');
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
