import { describe, expect, it } from 'vitest';
import { renderPage } from '../../src/report/page.ts';
import { createFold } from '../../src/result/fold.ts';
import { messageShape } from '../../src/result/messages.ts';
import { resultTable } from '../../src/result/table.ts';
import { CONTEXT, requestOf, scenarioOf } from './rows-of-a-run.ts';

const overloaded = (ref: string) =>
  `{"error":{"message":"Server overloaded, please retry shortly (ref: ${ref})","code":"overloaded"}}`;

describe('the shape of a message', () => {
  it.each([
    [overloaded('9f2c11aa'), 'Server overloaded, please retry shortly (ref: …)'],
    ['request_id=6f9619ff-8b86-d011-b42d-00cf4fc964ff failed', 'request_id=… failed'],
    ['Request ID req_011CSHoEeqs5C35K2UUqR7Fy', 'Request ID …'],
    ['try again in 1.243s, used 59840 of 60000', 'try again in …s, used … of …'],
    ['connect ECONNREFUSED 127.0.0.1:39211', 'connect ECONNREFUSED 127.0.0.1:…'],
    [
      '{"error":"server busy, please try again.  maximum pending',
      'server busy, please try again.  maximum pending',
    ],
  ])('leaves out what differs: %s', (text, shape) => {
    expect(messageShape(text)).toBe(shape);
  });

  it.each([
    '503 Service Unavailable',
    'model gpt-4o-mini is overloaded',
    'the stream ended before its answer did',
    'no answer within 60 s',
  ])('keeps what says something: %s', (text) => {
    expect(messageShape(text)).toBe(text);
  });
});

describe('what went wrong', () => {
  const failed = { outcome: 'failed', waitUs: null } as const;

  function resultOf() {
    const fold = createFold(scenarioOf(), { detail: 'full' });
    for (let seq = 0; seq < 40; seq++) {
      const text = overloaded((0xabc000 + seq).toString(16));
      fold.request(requestOf({ seq, ...failed, code: 'overload', text }));
    }
    fold.request(requestOf({ seq: 40, ...failed, code: 'reset', text: 'the peer reset' }));
    const refused = { outcome: 'rejected', code: 'queue_age', waitUs: null } as const;
    fold.request(requestOf({ seq: 41, ...refused, text: '{"error":"queue_age","age":1.5}' }));
    fold.request(requestOf({ seq: 42 }));
    return fold.finish(CONTEXT);
  }

  it('is grouped by what was said, the most frequent first; our own refusals have codes (E8)', () => {
    expect(resultOf().series.messages).toEqual([
      { code: 'overload', text: 'Server overloaded, please retry shortly (ref: …)', n: 40 },
      { code: 'reset', text: 'the peer reset', n: 1 },
    ]);
  });

  it('stands in the terminal and on the page', async () => {
    const words = 'Server overloaded, please retry shortly (ref: …)';
    expect(resultTable(resultOf())).toMatch(/said +40 +overload: Server overloaded/);
    expect(await renderPage([resultOf()])).toContain(words);
  });
});
