import { expect, it } from 'vitest';
import { briefly, differences } from '../../src/commands/differences.ts';

it('names each place where two values differ, and both', () => {
  const found = differences({ a: 1, list: [1, 2], same: 'x' }, { a: 2, list: [1], same: 'x' });
  expect([...found]).toEqual([
    ['a', '1', '2'],
    ['list.1', '2', 'nothing'],
  ]);
});

it('shows long texts where they part, not where they are the same', () => {
  const same = 'the same for a long time, '.repeat(4);
  const [says, gives] = briefly(`${same}then one${same}`, `${same}then other${same}`);
  expect(says).toMatch(/^"….*then one.*…"$/);
  expect(gives).toMatch(/^"….*then other.*…"$/);
});

it('cuts what is too long for a line', () => {
  const [says] = briefly(
    Array.from({ length: 1000 }, (_, i) => i),
    null,
  );
  expect(says.length).toBeLessThan(100);
});
