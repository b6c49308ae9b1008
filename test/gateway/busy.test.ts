import { expect, it } from 'vitest';
import { busySecondsIn } from '../../src/gateway/busy.ts';

const OLD = 'vllm:gpu_cache_usage_perc{model_name="m"} 0.8';
const NEW = 'vllm:kv_cache_usage_perc{model_name="m"} 0.8';

it.each([
  ['the old name', OLD],
  ['the new name', NEW],
  ['both', `${OLD}\n${NEW}`],
  ['neither', 'up 1'],
])('takes memory in use for no compute, and a missing signal for unknown: %s', (_, text) => {
  expect(busySecondsIn(text)).toBeUndefined();
});

it('adds compute up over its labels, and believes no number that is none', () => {
  const two = 'cpu_busy_seconds_total{gpu="0"} 1.5\ncpu_busy_seconds_total{gpu="1"} 2';
  expect(busySecondsIn(`${NEW}\n${two}`)).toBe(3.5);
  expect(busySecondsIn('cpu_busy_seconds_total NaN')).toBeUndefined();
});
