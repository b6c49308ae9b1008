import { expect, it } from 'vitest';
import { gateNowIn, progressLine } from '../../src/commands/progress.ts';

const progress = {
  ...{ nowS: 45, durationS: 300, sent: 72, inFlight: 12, completed: 57, turnedAway: 3 },
  ...{ failed: 0, latenessP99Ms: 0.4 },
};

it('says how a run stands in one line', () => {
  expect(progressLine(progress, { queueAgeS: 4.25, admitted: 69 })).toBe(
    '  45/300 s  1.6/s  12 in flight  queue age 4.3 s  admitted 69  turned away 3  send lag p99 0.40 ms',
  );
});

it('writes plain numbers, however fast or late a run is', () => {
  const fast = { ...progress, nowS: 10, sent: 2345, latenessP99Ms: 203.7 };
  const line = progressLine(fast, { queueAgeS: null, admitted: null });
  expect(line).toContain('  235/s  ');
  expect(line).toMatch(/send lag p99 204 ms$/);
});

it('leaves out what nobody knows, and says when it only waits for the rest', () => {
  const late = { ...progress, nowS: 310, failed: 2, latenessP99Ms: null };
  expect(progressLine(late, { queueAgeS: null, admitted: null })).toBe(
    ' 300/300 s  0.24/s  12 in flight  turned away 3  failed 2  draining',
  );
});

it('reads what it shows of the gate from its metrics', () => {
  const metrics = [
    '# TYPE queue_age_seconds gauge',
    'queue_age_seconds 3.5',
    'loadline_decisions_total{decision="reject",reason="queue_age"} 4',
    'loadline_decisions_total{decision="admit",reason="none"} 7',
  ].join('\n');
  expect(gateNowIn(metrics)).toEqual({ queueAgeS: 3.5, admitted: 7 });
  expect(gateNowIn('queue_age_seconds Nan')).toEqual({ queueAgeS: null, admitted: null });
});
