import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** What a run came to. `broken` counts test files that did not load and errors outside any test. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  broken: number;
}

/** The one line that a continuous integration reads: plain, and alone on its line. */
export function countLine({ passed, failed, skipped, broken }: Counts): string {
  return `${passed} passed, ${failed + broken} failed, ${skipped} skipped`;
}

/** A suite in which nothing ran proves nothing, so it does not pass. */
export function ranNothing({ passed, failed }: Counts): boolean {
  return passed + failed === 0;
}

function count(modules: readonly TestModule[], errors: readonly SerializedError[]): Counts {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0, broken: errors.length };
  for (const module of modules) {
    if (module.errors().length > 0) counts.broken += 1;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      counts[state === 'pending' ? 'skipped' : state] += 1;
    }
  }
  return counts;
}

/** Listed after the default reporter, so that its line is the last one. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const counts = count(modules, errors);
    if (ranNothing(counts)) {
      console.log('no test ran');
      process.exitCode = 1;
    }
    console.log(countLine(counts));
  }
}
