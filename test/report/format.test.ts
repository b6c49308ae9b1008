import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  count,
  percent,
  plainSeconds,
  roughPercent,
  seconds,
  setSeconds,
  short,
} from '../../src/report/format.ts';
import { escapeHtml, html, scriptJson } from '../../src/report/html.ts';
import { place } from '../../src/report/thresholds.ts';
import { wilson95 } from '../../src/result/wilson.ts';

const plain = (text: string) => text.replaceAll('\u00a0', ' ').replaceAll('\u202f', ' ');

describe('a number on the page', () => {
  it.each([
    [count(1234567), '1 234 567'],
    [count(76.24), '76.2'],
    [count(null), '–'],
    [seconds(0), '0 s'],
    [seconds(0.0421), '0.042 s'],
    [seconds(5.678), '5.68 s'],
    [seconds(395.4), '395 s'],
    [plainSeconds(30), '30 s'],
    [plainSeconds(0.2), '0.2 s'],
    [plainSeconds(100), '100 s'],
    [setSeconds(1e9), '1e9 s'],
    [percent(0.8214), '82.1 %'],
    [percent(0.0001), '<0.1 %'],
    [percent(0.99999), '>99.9 %'],
    [percent(0), '0.0 %'],
    [percent(1), '100.0 %'],
    [roughPercent(0.8214), '82 %'],
    [roughPercent(0.995), '99.5 %'],
    [short(-0.25), '\u22120.250'],
  ])('%s', (written, expected) => {
    expect(plain(written)).toBe(expected);
  });
});

describe('text in a template', () => {
  it('is escaped wherever it stands, and what is HTML already is not', () => {
    const inner = html`<b>${'a<b'}</b>`;
    expect(html`<i title="${'"x"'}">${[inner, '&']}${false}${null}</i>`.html).toBe(
      '<i title="&quot;x&quot;"><b>a&lt;b</b>&amp;</i>',
    );
  });

  it('has no mark-up left, whatever it was', () => {
    fc.assert(fc.property(fc.string(), (text) => !/[<>"']/.test(escapeHtml(text))));
  });

  it('comes back from a script element as it went in, and cannot end it', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const written = scriptJson(JSON.parse(text)).html;
        return (
          !written.includes('<') &&
          JSON.stringify(JSON.parse(written)) === JSON.stringify(JSON.parse(text))
        );
      }),
    );
    expect(scriptJson('</script><!--').html).not.toContain('<');
  });
});

describe('the range of a share', () => {
  it('holds the share and stays within 0 and 1', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), (hits, more) => {
        const n = hits + more;
        const [lo, hi] = wilson95(hits, n);
        const share = n === 0 ? 0 : hits / n;
        return lo >= 0 && hi <= 1 && lo <= share + 1e-12 && hi >= share - 1e-12;
      }),
    );
  });

  it('is that of the published formula', () => {
    const [lo, hi] = wilson95(2, 10);
    expect(lo).toBeCloseTo(0.0567, 4);
    expect(hi).toBeCloseTo(0.5098, 4);
  });
});

describe('a threshold', () => {
  const limit = (at: number) => ({ at, label: `maxWaitS ${at}` });

  it('just beyond the data widens the axis, and far beyond is left to words', () => {
    expect(place([limit(30)], 25)).toMatchObject({ shown: [limit(30)], beyond: [] });
    expect(place([limit(30)], 25).end).toBeGreaterThan(30);
    expect(place([limit(1e9)], 25)).toEqual({ shown: [], beyond: [limit(1e9)], end: 25 });
  });

  it('stands alone where there are no data', () => {
    expect(place([limit(30)], 0).shown).toEqual([limit(30)]);
    expect(place([], 0).end).toBe(1);
  });
});
