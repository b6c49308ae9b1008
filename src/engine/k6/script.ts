/// <reference types="k6" />
/**
 * What k6 runs. It is bundled with a plan and its schedule (see `bundle.ts`): the free VUs take the
 * next arrival in order and sleep until it is due, so a VU too few shows as lateness and never as
 * an arrival that is lost.
 */
import { sleep } from 'k6';
import { SharedArray } from 'k6/data';
import exec from 'k6/execution';
import http from 'k6/http';
import { Counter, Rate, Trend } from 'k6/metrics';
import type { Options } from 'k6/options';
import type { Arrival } from '../../arrivals/schedule.ts';
import { type Judgement, judge } from './judge.ts';
import { encodeFacts, METRICS, OUTCOMES, SCHEDULE_TAG } from './metrics.ts';
import type { Plan } from './plan.ts';
import { unpackSchedule } from './schedule-text.ts';
import { resultOfSummary, type SummaryData, summaryText } from './summary.ts';

declare const LOADLINE_PLAN: Plan;
/** The schedule itself, or the name of the file beside the bundle that holds it. */
declare const LOADLINE_SCHEDULE: { readonly text: string } | { readonly file: string };

const plan: Plan = LOADLINE_PLAN;
const classNames = Object.keys(plan.classes);

const schedule = new SharedArray<Arrival>('schedule', () => {
  const source = LOADLINE_SCHEDULE;
  const text = 'file' in source ? open(source.file) : source.text;
  return unpackSchedule(text, classNames);
});

const sentCount = new Counter(METRICS.sent);
const requestCount = new Counter(METRICS.requests);
const tokensIn = new Counter(METRICS.tokensIn);
const tokensOut = new Counter(METRICS.tokensOut);
const latenessMs = new Trend(METRICS.latenessMs);
const queueAgeMs = new Trend(METRICS.queueAgeMs);
const waitMs = new Trend(METRICS.waitMs, true);
const responseMs = new Trend(METRICS.responseMs, true);
const serviceMs = new Trend(METRICS.serviceMs, true);
const refusalMs = new Trend(METRICS.refusalMs, true);
const breach = new Rate(METRICS.breach);
const goodput = new Rate(METRICS.goodput);
const turnedAway = new Rate(METRICS.turnedAway);

/** Conditions that always hold: k6 shows a metric by tag only where a threshold asks for it. */
function counted(): Record<string, string[]> {
  const thresholds: Record<string, string[]> = {};
  for (const name of classNames) {
    for (const outcome of OUTCOMES) {
      thresholds[`${METRICS.requests}{class:${name},outcome:${outcome}}`] = ['count>=0'];
    }
  }
  return thresholds;
}

function thresholdsOf(): Record<string, string[]> {
  const thresholds = counted();
  for (const name of Object.keys(plan.thresholds)) {
    thresholds[name] = [...(plan.thresholds[name] ?? [])];
  }
  return thresholds;
}

export const options: Options = {
  scenarios: {
    loadline: {
      executor: 'shared-iterations',
      exec: 'arrive',
      vus: plan.vus,
      iterations: plan.count,
      maxDuration: `${plan.maxDurationS}s`,
      gracefulStop: `${plan.gracefulStopS}s`,
    },
  },
  thresholds: thresholdsOf(),
  summaryTrendStats: ['avg', 'min', 'med', 'max', 'p(95)', 'p(99)', 'count'],
  tags: { [SCHEDULE_TAG]: plan.scheduleDigest, scenario_name: plan.name },
  noCookiesReset: true,
  userAgent: `loadline/${plan.version} k6`,
};

const endpoint = (__ENV['ENDPOINT'] ?? plan.endpoint).replace(/\/+$/, '');
const url = `${endpoint}${/\/v\d+$/.test(endpoint) ? '' : '/v1'}/chat/completions`;
const model = __ENV['MODEL'] ?? plan.model;
const apiKey = __ENV['MC_API_KEY'] ?? __ENV['OPENAI_API_KEY'];
const tellsFacts = __ENV['LOADLINE_FACTS'] !== 'off';

/** Where instant 0 of the scenario lies on the fine clock of this instance, in its milliseconds. */
let zeroMs: number | undefined;

/** k6's one clock with fractions, from the start of this instance. */
function fineMs(): number {
  return exec.instance.currentTestRunDuration;
}

function runUs(): number {
  zeroMs = zeroMs ?? startOfRunMs() - wallMsAtFineZero();
  return Math.round((fineMs() - zeroMs) * 1000);
}

/** `Date` has whole milliseconds: at the moment when it turns over, after one at most, it is exact. */
function wallMsAtFineZero(): number {
  const before = Date.now();
  let turned = before;
  for (let reads = 0; turned === before && reads < 1e6; reads++) turned = Date.now();
  return turned - fineMs();
}

/** Instant 0 of the scenario as wall time: the same for every VU and, with an epoch, for every instance. */
function startOfRunMs(): number {
  const epoch = __ENV['LOADLINE_EPOCH_MS'];
  if (epoch === undefined || epoch === '') return exec.scenario.startTime + plan.leadMs;
  const epochMs = Number(epoch);
  if (!(epochMs >= exec.scenario.startTime)) {
    exec.test.abort(`LOADLINE_EPOCH_MS: expected milliseconds of an instant to come, got ${epoch}`);
  }
  return epochMs;
}

function waitUntil(dueUs: number): void {
  for (let left = dueUs - runUs(); left > 0; left = dueUs - runUs()) sleep(left / 1e6);
}

/** One iteration: one arrival. */
export function arrive(): void {
  const arrival = schedule[exec.scenario.iterationInTest];
  if (arrival === undefined) throw new Error('the schedule has no such arrival');
  waitUntil(arrival.atUs);
  const sentUs = runUs();
  exec.vu.metrics.metadata['loadline'] = `${arrival.seq} ${sentUs}`;
  sentCount.add(1, { class: arrival.class });
  latenessMs.add((sentUs - arrival.atUs) / 1000);
  const response = http.post(url, bodyOf(arrival), paramsOf(arrival));
  const endUs = runUs();
  const { timings } = response;
  const judgement = judge({
    status: response.status,
    errorCode: response.error_code,
    headers: response.headers,
    body: response.body ?? '',
    holds: arrival.demand.holdUs > 0,
  });
  const beforeBody = timings.blocked + timings.connecting + timings.tls_handshaking;
  const headMs = beforeBody + timings.sending + timings.waiting;
  const firstByteUs =
    response.status === 0 ? -1 : Math.min(endUs, sentUs + Math.round(headMs * 1000));
  record(arrival, judgement, { sentUs, firstByteUs, endUs, status: response.status });
}

interface Instants {
  readonly sentUs: number;
  readonly firstByteUs: number;
  readonly endUs: number;
  readonly status: number;
}

function record(arrival: Arrival, judgement: Judgement, instants: Instants): void {
  const { outcome, code } = judgement;
  const inTokens = judgement.inTokens < 0 ? arrival.demand.inTokens : judgement.inTokens;
  const outTokens = Math.max(0, judgement.outTokens);
  const facts = { ...judgement, ...instants, seq: arrival.seq, inTokens, outTokens };
  exec.vu.metrics.metadata['loadline'] = encodeFacts(facts);
  const tags = { class: arrival.class, outcome };
  requestCount.add(1, code === '' ? tags : { ...tags, code });
  if (outcome === 'completed') tokensIn.add(inTokens);
  tokensOut.add(outTokens);
  if (judgement.queueAgeUs >= 0) queueAgeMs.add(judgement.queueAgeUs / 1000);
  recordTimes(arrival, judgement, instants);
}

function recordTimes(
  arrival: Arrival,
  { outcome, waitUs }: Judgement,
  { sentUs, endUs }: Instants,
): void {
  const tookMs = (endUs - arrival.atUs) / 1000;
  const isTurnedAway = outcome === 'rejected' || outcome === 'expired';
  const isLate = tookMs > (plan.classes[arrival.class]?.sloMs ?? 0);
  turnedAway.add(isTurnedAway);
  goodput.add(outcome === 'completed' && !isLate);
  if (isTurnedAway) refusalMs.add((endUs - sentUs) / 1000);
  else if (waitUs >= 0) waitMs.add(waitUs / 1000);
  if (outcome === 'completed') {
    responseMs.add(tookMs);
    serviceMs.add((endUs - sentUs) / 1000);
  }
  if (outcome === 'completed') breach.add(isLate);
  else if (outcome === 'failed' || outcome === 'killed') breach.add(true);
}

function paramsOf({ seq, class: name, keySeq, demand }: Arrival) {
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    Accept: 'text/event-stream, application/json',
  };
  if (apiKey !== undefined && apiKey !== '') headers['Authorization'] = `Bearer ${apiKey}`;
  if (tellsFacts) {
    const { serviceUs, inTokens, outTokens, holdUs } = demand;
    headers['x-loadline-seq'] = String(seq);
    headers['x-loadline-class'] = name;
    headers['x-loadline-attempt'] = '0';
    headers['x-loadline-demand'] =
      `service=${serviceUs};in=${inTokens};out=${outTokens};hold=${holdUs};key=${keySeq};attempt=0`;
  }
  const tags = { name: 'completions', class: name };
  return { headers, tags, timeout: timeoutMs(demand.holdUs, name), responseType: 'text' as const };
}

function timeoutMs(holdUs: number, name: string): number {
  const own = plan.classes[name]?.timeoutMs ?? plan.maxDurationS * 1000;
  return holdUs > 0 ? Math.min(own, Math.ceil(holdUs / 1000)) : own;
}

function bodyOf({ class: name, demand }: Arrival): string {
  const { prompt = '', stream = false } = plan.classes[name] ?? {};
  return JSON.stringify({
    model,
    messages: [{ role: 'user', content: prompt }],
    max_tokens: Math.max(1, demand.outTokens),
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
  });
}

/** k6 calls it once, at the end. */
export function handleSummary(data: SummaryData): Record<string, string> {
  const result = resultOfSummary(plan, data);
  const file = __ENV['LOADLINE_RESULT'] ?? `${plan.name.replace(/[^\w.-]+/g, '-')}.k6.result.json`;
  return { stdout: summaryText(result), [file]: `${JSON.stringify(result, null, 2)}\n` };
}
