import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_RETRY_AFTER_US, retryAfterUs } from '../../src/client/retry-after.ts';

/** Wed, 21 Oct 2026 07:27:00 GMT: a minute before the date in the examples. */
const NOW_MS = Date.UTC(2026, 9, 21, 7, 27, 0);
const read = (retryAfter: string) => retryAfterUs({ retryAfter }, NOW_MS);

describe('seconds', () => {
  it.each([
    ['120', 120e6],
    [' 120', 120e6],
    ['120\t', 120e6],
    ['0', 0],
    ['1.5', 2e6],
    ['1.0', 1e6],
    ['99999999999', MAX_RETRY_AFTER_US],
    ['9'.repeat(400), MAX_RETRY_AFTER_US],
  ])('%j is understood', (text, us) => {
    expect(read(text)).toBe(us);
  });
});

describe('the three forms of an HTTP date', () => {
  it.each([
    'Wed, 21 Oct 2026 07:28:00 GMT',
    'Wednesday, 21-Oct-26 07:28:00 GMT',
    'Wed Oct 21 07:28:00 2026',
  ])('%j is a minute from now', (text) => {
    expect(read(text)).toBe(60e6);
  });

  it('reads the space that asctime puts before a single digit', () => {
    expect(retryAfterUs({ retryAfter: 'Sun Nov  1 00:00:10 2026' }, Date.UTC(2026, 10, 1))).toBe(
      10e6,
    );
  });

  it('takes two digits of more than 50 years ahead for the past', () => {
    expect(read('Friday, 21-Oct-77 07:28:00 GMT')).toBe(0);
    expect(read('Wednesday, 21-Oct-76 07:28:00 GMT')).toBe(MAX_RETRY_AFTER_US);
  });

  it.each(['Wed, 21 Oct 2020 07:28:00 GMT', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
    'a moment in the past, %j, is no wait',
    (text) => {
      expect(read(text)).toBe(0);
    },
  );

  it('agrees with the calendar on every day of 400 years', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 146_097 * 86_400 }), (seconds) => {
        const at = new Date(seconds * 1000);
        const us = retryAfterUs({ retryAfter: at.toUTCString() }, at.getTime() - 5000);
        expect(us).toBe(5e6);
      }),
    );
  });
});

describe('junk', () => {
  it.each([
    '-1',
    'abc',
    '',
    ' ',
    '1e3',
    '0x10',
    '1,2',
    '120, 120',
    'NaN',
    'Infinity',
    'abc 120',
    'Wed, 31 Feb 2026 07:28:00 GMT',
    'Wed, 21 Okt 2026 07:28:00 GMT',
    'Wed, 21 Oct 2026 25:28:00 GMT',
    'Wed, 21 Oct 2026 07:28:00',
    '2026-10-21T07:28:00Z',
  ])('%j asks for nothing', (text) => {
    expect(read(text)).toBeUndefined();
  });

  it('never throws, and never answers outside its range', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (retryAfter, retryAfterMs) => {
        const us = retryAfterUs({ retryAfter, retryAfterMs }, NOW_MS) ?? 0;
        expect(us >= 0 && us <= MAX_RETRY_AFTER_US).toBe(true);
      }),
    );
  });
});

describe('retry-after-ms', () => {
  it('goes first where both are there', () => {
    expect(retryAfterUs({ retryAfterMs: '1250', retryAfter: '9' }, NOW_MS)).toBe(1_250_000);
  });
  it('stands alone', () => {
    expect(retryAfterUs({ retryAfterMs: '300.2' }, NOW_MS)).toBe(301_000);
  });
  it('gives way to the other where it is junk', () => {
    expect(retryAfterUs({ retryAfterMs: 'soon', retryAfter: '9' }, NOW_MS)).toBe(9e6);
  });
  it('is missed by nobody', () => {
    expect(retryAfterUs({}, NOW_MS)).toBeUndefined();
  });
});
