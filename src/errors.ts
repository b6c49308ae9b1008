/**
 * An error that is the user's to mend. It is shown as its one line of text, never with a stack:
 * say what was expected, what was got, and where.
 */
export class UserError extends Error {
  override readonly name = 'UserError';

  /** @param exitCode 2 for usage and scenarios, 1 for a run that failed, 99 for a crossed threshold. */
  constructor(
    message: string,
    readonly exitCode: 1 | 2 | 99 = 2,
  ) {
    super(printable(message));
  }
}

/** What a terminal would obey rather than show; lines and tabs are meant. */
const COMMANDING = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/**
 * Text from a file, a flag or an endpoint as a terminal may get it: control characters as escapes
 * such as `\u001b`, which inside a JSON string mean the same.
 */
export function printable(text: string): string {
  return text.replace(
    COMMANDING,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** `…:error:0A00010B:SSL routines:function:wrong version number:../ssl/record.c:354:` */
const OPENSSL = /error:[0-9A-F]{8}:[^:]*:[^:]*:([^:]+)/i;
const SHOWN_CHARACTERS = 200;

/**
 * What went wrong with a connection, in one line: the first of several (an AggregateError says
 * nothing by itself), and of OpenSSL the reason without the places in its sources.
 */
export function connectionReason(error: Error): string {
  const inner = error instanceof AggregateError ? (error.errors[0] as Error) : undefined;
  const { message, name, code } = (inner ?? error) as NodeJS.ErrnoException;
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    return 'an answer without TLS (http instead of https?)';
  }
  const reason = OPENSSL.exec(message)?.[1];
  if (reason !== undefined) return `TLS: ${reason}`;
  const text = message || code || name;
  return printable((text.split('\n')[0] ?? '').slice(0, SHOWN_CHARACTERS));
}
