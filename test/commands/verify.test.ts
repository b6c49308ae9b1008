import { describe, expect, it } from 'vitest';
import { refuseCutShort } from '../../src/commands/verify.ts';

describe('a live check', () => {
  const check = (status: string) => ({ status }) as never;

  it('that Ctrl-C ended is no success', () => {
    expect(() => refuseCutShort([check('ok'), check('interrupted')])).toThrow(
      expect.objectContaining({ exitCode: 1, message: expect.stringContaining('cut short') }),
    );
  });

  it('that ran to its end, or was not asked for, is', () => {
    expect(() => refuseCutShort([])).not.toThrow();
    expect(() => refuseCutShort([check('ok'), check('generator-limited')])).not.toThrow();
  });
});
