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
    super(message);
  }
}
