import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

const arrivals = { ratePerS: 1 };

function problems(input: unknown): string[] {
  try {
    parseScenario(input);
  } catch (error) {
    if (error instanceof UserError) return error.message.split('\n');
    throw error;
  }
  return [];
}

describe('defaults', () => {
  it('gives a scenario without classes one batch class that takes all arrivals', () => {
    const { classes } = parseScenario({ arrivals });
    expect(Object.keys(classes)).toEqual(['task']);
    expect(classes['task']).toMatchObject({ kind: 'batch', share: 1, mayQueue: true, compute: 1 });
  });

  it('takes arrivals as Poisson without bursts unless told otherwise', () => {
    expect(parseScenario({ arrivals }).arrivals).toEqual({
      process: 'poisson',
      ratePerS: 1,
      bursts: [],
    });
  });

  it('leaves every rule of the gate off', () => {
    expect(parseScenario({ arrivals }).gate).toMatchObject({
      ageRejectS: null,
      depthMultiple: null,
      queueCapacity: null,
      maxWaitS: null,
      maxHoldS: null,
      slackRejectS: null,
      mode: 'enforce',
      rejectInteractive: true,
    });
  });

  it('lets interactive callers fail closed, outside the queue, at 5 % of a slot while they hold', () => {
    const classes = { chat: { kind: 'interactive', hold: { fixed: 400 } } };
    const { chat } = parseScenario({ arrivals, classes }).classes;
    expect(chat).toMatchObject({ mayQueue: false, compute: 0.05, retry: { onRefusal: false } });
  });

  it('lets a stated value win over the default of its kind', () => {
    const classes = {
      chat: { kind: 'interactive', mayQueue: true, compute: 0.5, retry: { onRefusal: true } },
    };
    const { chat } = parseScenario({ arrivals, classes }).classes;
    expect(chat).toMatchObject({ mayQueue: true, compute: 0.5, retry: { onRefusal: true } });
  });

  it('does not change a scenario that has been parsed', () => {
    fc.assert(
      fc.property(
        fc.record({
          durationS: fc.integer({ min: 1, max: 1000 }),
          slots: fc.integer({ min: 1, max: 99 }),
          maxWaitS: fc.option(fc.double({ min: 0, max: 1e9, noNaN: true })),
          share: fc.double({ min: 0, max: 1, noNaN: true }),
          kind: fc.constantFrom('batch', 'interactive'),
        }),
        ({ durationS, slots, maxWaitS, share, kind }) => {
          const classes = { a: { share, kind }, b: { share: 1 - share }, c: { arrivals } };
          const once = parseScenario({ durationS, arrivals, classes, gate: { slots, maxWaitS } });
          expect(parseScenario(once)).toEqual(once);
          expect(parseScenario(JSON.parse(JSON.stringify(once)))).toEqual(once);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('refusals say where, what was expected and what was got', () => {
  const cases: [what: string, input: unknown, line: string][] = [
    [
      'a share above 1',
      { arrivals, classes: { small: { share: 1.4 } } },
      'classes.small.share: expected 0 to 1, got 1.4 (number)',
    ],
    [
      'a typo',
      { arrivals, gate: { ageReject: 25 } },
      'gate.ageReject: unknown key; did you mean ageRejectS?',
    ],
    ['a typo at the top', { arrival: arrivals }, 'arrival: unknown key; did you mean arrivals?'],
    [
      'another unit',
      { arrivals, durationMs: 300 },
      'durationMs: unknown key; did you mean durationS?',
    ],
    [
      'a number as text',
      { arrivals, durationS: '300s' },
      'durationS: expected seconds as a number, more than 0 and at most 1e9, got "300s" (string)',
    ],
    [
      'no slots',
      { arrivals, gate: { slots: 0 } },
      'gate.slots: expected a whole number, 1 or more, got 0 (number)',
    ],
    [
      'a seed beyond the numbers that are told apart',
      { arrivals, seed: 1e16 },
      'seed: expected a whole number, 0 to 9007199254740991, got 10000000000000000 (number)',
    ],
    [
      'a capacity of that kind',
      { arrivals, gate: { queueCapacity: 1e300 } },
      'gate.queueCapacity: expected a whole number, 0 to 9007199254740991, or null, got 1e+300 (number)',
    ],
    [
      'gaps so bursty that the rate says nothing',
      { arrivals: { process: 'gamma', ratePerS: 1, burstiness: 1e-5 } },
      'arrivals.burstiness: expected a number, 1e-4 or more (1 / burstiness is the scv of the gaps), got 0.00001 (number)',
    ],
    [
      'an endless duration',
      { arrivals, gate: { maxWaitS: Number.POSITIVE_INFINITY } },
      'gate.maxWaitS: expected seconds as a number, 0 to 1e9, or null, got Infinity (number)',
    ],
    [
      'a negative capacity',
      { arrivals, gate: { queueCapacity: -1 } },
      'gate.queueCapacity: expected a whole number, 0 or more, or null, got -1 (number)',
    ],
    [
      'a burst that ends before it begins',
      { arrivals: { ratePerS: 1, bursts: [{ fromS: 3, toS: 2 }] } },
      'arrivals.bursts.0.toS: expected more than fromS, got 2 (number)',
    ],
    [
      'an unknown process',
      { arrivals: { process: 'poison', ratePerS: 1 } },
      'arrivals.process: expected one of poisson, constant, gamma, ramp, at, trace, got "poison" (string)',
    ],
    [
      'a process without its parameter',
      { arrivals: { process: 'gamma', ratePerS: 1 } },
      'arrivals.burstiness: expected a number, 1e-4 or more (1 / burstiness is the scv of the gaps), got nothing',
    ],
    [
      'a distribution that runs backwards',
      { arrivals, model: { service: { uniform: [30, 5] } } },
      'model.service.uniform: expected [from, to] in seconds, 0 <= from <= to and to more than 0, got [30,5]',
    ],
    [
      'shares that do not add up',
      { arrivals, classes: { a: { share: 0.5 }, b: { share: 0.6 } } },
      'classes: expected shares that add up to 1, got 1.1 in total',
    ],
    [
      'a share forgotten',
      { arrivals, classes: { a: { share: 1 }, b: {} } },
      'classes.b.share: expected 0 to 1 where the class has no arrivals of its own, got nothing',
    ],
    [
      'a share beside arrivals',
      { classes: { a: { share: 1, arrivals } } },
      'classes.a.share: expected nothing where the class has arrivals of its own, got 1 (number)',
    ],
    [
      'arrivals that nobody shares',
      { arrivals, classes: { a: { arrivals } } },
      'arrivals: expected null where every class has arrivals of its own, got arrivals that no class shares',
    ],
    [
      'no arrivals at all',
      {},
      'arrivals: expected { ratePerS, ... }, or arrivals of its own for each class, got nothing',
    ],
    [
      'a hold without a stream',
      { arrivals, classes: { a: { hold: { fixed: 3 }, stream: false } } },
      'classes.a.stream: expected true where the class has a hold (a slot is held on an open stream), got false (boolean)',
    ],
    [
      'a threshold without a comparison',
      { arrivals, thresholds: { 'rates.breach': '0.05' } },
      'thresholds.rates.breach: expected a condition such as \'<0.05\': one of < <= > >= == and a number, got "0.05" (string)',
    ],
    [
      'a band that is upside down',
      { arrivals, gate: { slackRejectS: 200 } },
      'gate.slackAdmitS: expected at least slackRejectS (between the two the last verdict stays), got nothing',
    ],
    ['something else', 3, 'scenario: expected an object, got 3 (number)'],
  ];

  for (const [what, input, line] of cases) {
    it(what, () => expect(problems(input)).toEqual([line]));
  }

  it('tells every problem, one a line', () => {
    const lines = problems({ arrivals, gate: { slots: 0, mode: 'on' }, seed: -1 });
    expect(lines).toHaveLength(3);
  });

  it('never shows more than a line of a value, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything(), (junk) => {
        const input = { arrivals: junk, gate: { slots: junk, mode: junk }, classes: { a: junk } };
        for (const line of problems(input)) expect(line.length).toBeLessThan(2000);
      }),
      { numRuns: 200 },
    );
  });
});
