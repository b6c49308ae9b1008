import { describe, expect, it } from 'vitest';
import { connectionReason, printable, UserError } from '../src/errors.ts';

describe('text for a terminal', () => {
  it('shows what would command it: ESC, BEL, a bare return, C1, a change of direction', () => {
    expect(printable('a\u001b[2J\u0007\r\u009b31m\u007f\u202e')).toBe(
      'a\\u001b[2J\\u0007\\u000d\\u009b31m\\u007f\\u202e',
    );
  });

  it('keeps lines, tabs and every letter', () => {
    const text = 'one\n\ttwo: µs, …, 設定, 👍🏽, 👨‍👩‍👧\n';
    expect(printable(text)).toBe(text);
  });

  it('means the same inside a JSON string', () => {
    const value = { text: 'a\u009bb\u007f\u001b' };
    expect(JSON.parse(printable(JSON.stringify(value)))).toEqual(value);
  });

  it('is what an error of a user holds, whoever wrote it', () => {
    expect(new UserError('f.jsonl:1: expected JSON, got \u001b]0;x\u0007').message).toBe(
      'f.jsonl:1: expected JSON, got \\u001b]0;x\\u0007',
    );
  });
});

describe('the reason of a broken connection', () => {
  const coded = (message: string, code: string) => Object.assign(new Error(message), { code });

  it('names no place in the sources of OpenSSL', () => {
    const where = '00A1:error:0A00042E:SSL routines:ssl3_read_bytes:tlsv1 alert:../deps/rec.c:9:\n';
    expect(connectionReason(coded(where, 'ERR_SSL_ALERT'))).toBe('TLS: tlsv1 alert');
    const wrong = '00A1:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../x.c:3:';
    expect(connectionReason(coded(wrong, 'ERR_SSL_WRONG_VERSION_NUMBER'))).toBe(
      'an answer without TLS (http instead of https?)',
    );
  });

  it('is that of the first address where none could be reached, and one line', () => {
    expect(connectionReason(new AggregateError([new Error('refused\nmore')], ''))).toBe('refused');
    expect(connectionReason(coded('', 'ECONNRESET'))).toBe('ECONNRESET');
  });
});
