import { expect, it } from 'vitest';
import { pageDocument } from '../../src/report/document.ts';
import { html } from '../../src/report/html.ts';

it('breaks no line between two sides of an arrow in a heading, and leaves commands alone', async () => {
  const body = html`<h1>ADD SLOTS: ${'16 -> 24'}.</h1><pre>${'a -> b'}</pre>`;
  const page = await pageDocument({ title: 'x', body, charts: [], words: false });
  expect(page).toContain('<h1>ADD SLOTS: 16\u00a0→\u00a024.</h1>');
  expect(page).toContain('<pre>a -&gt; b</pre>');
});
