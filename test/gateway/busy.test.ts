import { expect, it } from 'vitest';
import { busySecondsIn, memoryShareIn } from '../../src/gateway/busy.ts';
import { call, gateOf, until, upstreamOf } from './support.ts';

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

it.each([
  ['the old name', OLD, 0.8],
  ['the new name', NEW, 0.8],
  ['both', `${OLD}\n${NEW}`, 0.8],
  ['neither', 'up 1', undefined],
  ['no number', 'vllm:kv_cache_usage_perc NaN', undefined],
])('reads memory in use under either of its names (E3): %s', (_, text, share) => {
  expect(memoryShareIn(text)).toBe(share);
});

it('takes the fullest of several memories', () => {
  expect(memoryShareIn(`${NEW}\nvllm:kv_cache_usage_perc{model_name="n"} 0.9`)).toBe(0.9);
});

it.each([
  ['the old name', OLD, 0.8, 0],
  ['the new name', NEW, 0.8, 0],
  ['neither', 'up 1', undefined, 1],
])('exports memory, or that the signal is missing, and never 0 for it (E3): %s', async (...row) => {
  const [, text, share, missing] = row;
  const upstream = await upstreamOf((_, response) => response.end(`${text}\n`));
  const metricsUrl = `${upstream.url}/metrics`;
  const gateway = await gateOf(upstream.url, { slots: 1 }, { metricsUrl });
  await until(() => upstream.seen.length > 1, 'two scrapes');
  const { body } = await call(gateway.port, { method: 'GET', path: '/metrics', body: '' });
  const read = (series: RegExp) => {
    const value = series.exec(body)?.[1];
    return value === undefined ? undefined : Number(value);
  };
  expect(read(/^loadline_upstream_memory_ratio (\S+)$/m)).toBe(share);
  expect(read(/^loadline_signal_missing\{signal="memory"\} (\S+)$/m)).toBe(missing);
  expect(read(/^loadline_signal_missing\{signal="cpu_busy"\} (\S+)$/m)).toBe(1);
});

it('adds compute up over its labels, and believes no number that is none', () => {
  const two = 'cpu_busy_seconds_total{gpu="0"} 1.5\ncpu_busy_seconds_total{gpu="1"} 2';
  expect(busySecondsIn(`${NEW}\n${two}`)).toBe(3.5);
  expect(busySecondsIn('cpu_busy_seconds_total NaN')).toBeUndefined();
});
