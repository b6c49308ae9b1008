import { expect, it } from 'vitest';
import { escapeHtml, unescapeHtml } from '../../src/report/html.ts';

it('gives back whatever was escaped', () => {
  const text = `a < b & "c" > 'd', and &lt; &amp;amp; as it was written`;
  expect(escapeHtml(text)).not.toMatch(/[<>"']/);
  expect(unescapeHtml(escapeHtml(text))).toBe(text);
});
