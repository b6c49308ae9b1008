import { expect, it } from 'vitest';
import type { Arrival } from '../../../src/arrivals/schedule.ts';
import { attemptRequest, fitted, type RequestOptions } from '../../../src/engine/live/request.ts';
import { decodeDemand } from '../../../src/model/demand-header.ts';
import { parseScenario } from '../../../src/scenario/schema.ts';

const scenario = parseScenario({
  arrivals: { process: 'poisson', ratePerS: 1 },
  classes: { task: { prompt: 'Say yes.', maxTokens: 8 } },
});
const demand = { serviceUs: 1_500_000, inTokens: 2, outTokens: 8, holdUs: 7 };
const arrival: Arrival = { seq: 3, atUs: 10, class: 'task', demand, keySeq: 2 };
const options: RequestOptions = {
  path: '/v1/chat/completions',
  model: 'm',
  apiKey: 'sk-secret',
  tellFacts: true,
  askUsage: true,
  fitPrompt: false,
};

function requestWith(changes: Partial<RequestOptions>) {
  return attemptRequest(arrival, 1, scenario.classes['task']!, { ...options, ...changes });
}

it('tells the stub the work of the request, so that none is drawn twice', () => {
  const { headers } = requestWith({});
  expect(decodeDemand(headers['x-loadline-demand'] ?? '')).toEqual({
    demand,
    keySeq: 2,
    attempt: 1,
  });
  expect(headers).toMatchObject({ 'x-loadline-seq': '3', 'x-loadline-attempt': '1' });
});

it('tells a stranger nothing of ours', () => {
  const { headers } = requestWith({ tellFacts: false });
  expect(Object.keys(headers).filter((name) => name.startsWith('x-loadline'))).toEqual([]);
});

it('asks for bytes that are not compressed, and for usage where that is understood', () => {
  expect(requestWith({}).headers['accept-encoding']).toBe('identity');
  expect(requestWith({}).body).toContain('include_usage');
  expect(requestWith({ askUsage: false }).body).not.toContain('stream_options');
});

it('puts the key into the header alone', () => {
  const { headers, body } = requestWith({});
  expect(headers['authorization']).toBe('Bearer sk-secret');
  expect(body).not.toContain('sk-secret');
});

it('stretches and cuts a prompt to the tokens of its demand', () => {
  expect(fitted('Say yes.', 2)).toBe('Say yes.');
  expect(fitted('Say yes.', 50)).toHaveLength(200);
  expect(fitted('Say yes.', 1)).toBe('Say ');
});
