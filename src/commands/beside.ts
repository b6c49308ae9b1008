import { existsSync } from 'node:fs';

/**
 * Another place for what cannot go to its own, because something has come there meanwhile: the
 * first of `NAME-2`, `NAME-3` … of which none is there.
 * @param ends of several files that belong together, such as `.json` and `.html`
 */
export function freeBeside(name: string, ends: readonly string[] = ['']): string {
  for (let n = 2; ; n++) {
    const beside = `${name}-${n}`;
    if (ends.every((end) => !existsSync(`${beside}${end}`))) return beside;
  }
}
