import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';

const STANDARD_STREAMS = [0, 1, 2];

/**
 * At its very end Node puts the settings of its terminals back, and aborts (SIGABRT) where one has
 * closed meanwhile. What is closed on this side too it leaves alone.
 */
export function endWithClosedTerminals(): void {
  const terminals = STANDARD_STREAMS.filter((fd) => isatty(fd));
  process.on('exit', () => {
    for (const fd of terminals) if (!isatty(fd)) closeSync(fd);
  });
}
