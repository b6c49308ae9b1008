import { expect, it } from 'vitest';
import { html, raw } from '../../src/report/html.ts';
import { wordsOf } from '../../src/report/words.ts';

it('explains the words that stand on the page, and no others', () => {
  const page = html`<p>goodput 3 %, kept p95, gap scv doubled</p>`;
  const text = wordsOf(page).html;
  for (const word of ['goodput', 'kept', 'scv']) expect(text).toContain(`<dt>${word}</dt>`);
  expect(text).not.toContain('<dt>slack</dt>');
});

it('does not take the names of colours, scripts and commands for words', () => {
  const page = html`${raw('<svg>late</svg>')}<p class="late">x</p><pre>slack</pre>`;
  expect(wordsOf(page).html).toBe('');
});

it('knows the words of a recommendation', () => {
  const page = html`<p>it FAILS with less work offered: unserved 3 %, regret 2, floor 90 %. BUY 24 slots</p>`;
  const text = wordsOf(page).html;
  for (const word of ['floor', 'unserved', 'regret', 'BUY', 'work offered', 'FAILS']) {
    expect(text).toContain(`<dt>${word}</dt>`);
  }
});
