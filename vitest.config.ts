import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** `vitest run` is the suite; `--mode soak` and `--mode bench` run what is too long for it. */
function filesOf(mode: string): { include: string[]; exclude: string[] } {
  if (mode === 'soak' || mode === 'bench') {
    return { include: [`test/${mode}/**/*.test.ts`], exclude: [] };
  }
  return { include: ['test/**/*.test.ts'], exclude: ['test/soak/**', 'test/bench/**'] };
}

export default defineConfig(({ mode }) => ({
  resolve: {
    alias: { loadline: fileURLToPath(new URL('./src/index.ts', import.meta.url)) },
  },
  test: {
    ...filesOf(mode),
    environment: 'node',
    setupFiles: ['test/support/environment.ts'],
    pool: 'forks',
    // A long test measures what it drives in real time: another beside it would be measured too.
    maxWorkers: mode === 'soak' ? 1 : 2,
    testTimeout: mode === 'soak' ? 3_600_000 : 20_000,
    hookTimeout: 20_000,
    reporters: ['default', './test/support/count-reporter.ts'],
  },
}));
