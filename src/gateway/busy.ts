import { request } from 'undici';
import { usFromS } from '../units.ts';
import type { Clock } from './clock.ts';

const SCRAPE_EVERY_MS = 250;
const SCRAPE_TIMEOUT_MS = 1_000;
const SAMPLE = /^cpu_busy_seconds_total(?:\{[^}]*\})?\s+(\S+)/gm;
/** vLLM renamed it; a server has the one or the other. */
const MEMORY = /^vllm:(?:kv|gpu)_cache_usage_perc(?:\{[^}]*\})?\s+(\S+)/gm;

/** What the upstream says of itself. */
export interface BusyScrape {
  /** Share of `slots` that computed between the last two scrapes; undefined: unknown. */
  ratio(slots: number): number | undefined;
  /** Share of its memory in use, 0 to 1, at the last scrape; undefined: it does not say. */
  memory(): number | undefined;
  stop(): void;
}

/** Sum of `cpu_busy_seconds_total` over its labels, in seconds; undefined where it is not there. */
export function busySecondsIn(text: string): number | undefined {
  const values = [...text.matchAll(SAMPLE)].map((match) => Number(match[1]));
  if (values.length === 0 || values.some((value) => !Number.isFinite(value))) return undefined;
  return values.reduce((sum, value) => sum + value, 0);
}

/** The fullest memory of all that say so, 0 to 1, under either name; undefined where none does. */
export function memoryShareIn(text: string): number | undefined {
  const values = [...text.matchAll(MEMORY)].map((match) => Number(match[1]));
  if (values.length === 0 || values.some((value) => !Number.isFinite(value))) return undefined;
  return Math.max(...values);
}

/**
 * Reads the upstream's metrics every 250 ms of wall time. A scrape that fails is left out: busy is
 * then unknown, which is not 0.
 * @param onSample compute since the upstream's start, in microseconds of one slot
 */
export function scrapeBusy(
  url: string,
  clock: Clock,
  onSample: (atUs: number, computeUs: number) => void,
): BusyScrape {
  let last: { atUs: number; computeUs: number } | undefined;
  let perUs: number | undefined;
  let memory: number | undefined;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const take = (text: string) => {
    memory = memoryShareIn(text);
    const seconds = busySecondsIn(text);
    if (seconds === undefined) {
      perUs = undefined;
      return;
    }
    const sample = { atUs: clock.nowUs(), computeUs: usFromS(seconds) };
    if (last !== undefined && sample.atUs > last.atUs) {
      perUs = (sample.computeUs - last.computeUs) / (sample.atUs - last.atUs);
    }
    last = sample;
    onSample(sample.atUs, sample.computeUs);
  };
  const scrape = async () => {
    try {
      const answer = await request(url, { signal: AbortSignal.timeout(SCRAPE_TIMEOUT_MS) });
      const text = await answer.body.text();
      if (!stopped) take(answer.statusCode === 200 ? text : '');
    } catch {
      take('');
    }
    if (stopped) return;
    timer = setTimeout(scrape, SCRAPE_EVERY_MS);
    timer.unref();
  };
  void scrape();
  return {
    ratio: (slots) => (perUs === undefined ? undefined : perUs / slots),
    memory: () => memory,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
