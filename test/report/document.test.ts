import { expect, it } from 'vitest';
import { pageDocument } from '../../src/report/document.ts';
import { html } from '../../src/report/html.ts';

it('breaks no line between two sides of an arrow in a heading, and leaves commands alone', async () => {
  const body = html`<h1>ADD SLOTS: ${'16 -> 24'}.</h1><pre>${'a -> b'}</pre>`;
  const page = await pageDocument({ title: 'x', body, charts: [], words: false });
  expect(page).toContain('<h1>ADD SLOTS: 16\u00a0→\u00a024.</h1>');
  expect(page).toContain('<pre>a -&gt; b</pre>');
});

it('breaks what is too long for a telephone behind its name, and never inside a word', async () => {
  const setting = 'model.checkpointTokens\u00a050\u00a0tokens';
  const body = html`<h1>Best with ${setting}, maxWaitS\u00a010\u00a0s.</h1><p title="a.long.attribute.of.a.tag">${setting}</p>`;
  const page = await pageDocument({ title: 'x', body, charts: [], words: false });
  const broken = 'model.<wbr>checkpointTokens 50\u00a0tokens';
  expect(page).toContain(`<h1>Best with ${broken}, maxWaitS\u00a010\u00a0s.</h1>`);
  expect(page).toContain(`<p title="a.long.attribute.of.a.tag">${broken}</p>`);
});
