/** What is ordered of capacity: all of it, in the order in which it is done. */
import { describe, expect, it } from 'vitest';
import {
  buyLines,
  scaleText,
  slotsOfKept,
  slotsText,
  stillLines,
  undoSlotsText,
} from '../../src/tune/capacity-text.ts';
import type { SlotsNeeded } from '../../src/tune/types.ts';
import { smallRush } from './support.ts';

const curve = (...points: (readonly [number, number])[]) =>
  points.map(([slots, goodput]) => ({ slots, goodput }));

function draftOf(needed: Partial<SlotsNeeded>, changes: object = {}) {
  const slotsNeeded = {
    ...{ at: 'gate', target: 0.95, present: 4, needed: 6, under: 'present', others: [] },
    ...{ curve: curve([4, 0.6], [6, 0.97]), ...needed },
  };
  const chosen = { setting: { 'gate.maxWaitS': 5 }, binding: 'small-rush' };
  return {
    ...{
      slotsNeeded,
      chosen,
      keep: false,
      gates: [{ action: 'set', scenarios: [] }],
      slotsElsewhere: [],
      scenarios: [{}],
      params: [{ path: 'gate.maxWaitS' }],
    },
    ...{ replicas: null, evidence: { arrivals: null }, lossSplit: null, ...changes },
  } as never;
}

describe('more slots at an endpoint than its gate lets in', () => {
  const scenario = smallRush({
    gate: { slots: 4 },
    model: { slots: 3, service: { uniform: [1, 6] } },
  });
  const needed = { at: 'endpoint', present: 3, needed: 6, curve: curve([3, 0.5], [6, 1]) } as const;
  const draft = draftOf(needed);

  it('go with the slots of the gate, in the headline, the order, the price and what is undone', () => {
    expect(slotsText(draft, scenario)).toEqual([
      'OR ADD SLOTS AT THE ENDPOINT: 3 -> 6 AND IN THE GATE: 4 -> 6 AND KEEP THE GATE WITHOUT A RULE.',
    ]);
    expect(scaleText(draft, scenario)).toBe(
      'let the endpoint work on 6 at a time, PUT /admin/policy {"slots":6} (undo: {"slots":4}) and keep the gate without a rule. If you cannot: ',
    );
    expect(buyLines(draft, scenario)[0]?.text).toContain(
      '6 slots at the endpoint and 6 in the gate -> 100.0 %',
    );
    expect(undoSlotsText(draft, scenario)).toBe('; where slots were added: slots 4');
  });

  it('are shared out among the gates', () => {
    const shared = draftOf(needed, { replicas: 2 });
    expect(scaleText(shared, scenario)).toContain('{"slots":3} (undo: {"slots":2})');
  });

  it('leave a gate alone that lets in as many', () => {
    const wide = smallRush({ gate: { slots: 8 }, model: scenario.model });
    expect(slotsText(draft, wide)[0]).not.toContain('IN THE GATE');
    expect(scaleText(draft, wide)).not.toContain('PUT');
    expect(undoSlotsText(draft, wide)).toBe('');
  });
});

it('more slots of a gate go with those of an endpoint that has no more', () => {
  const scenario = smallRush({ model: { slots: 4, service: { uniform: [1, 6] } } });
  expect(slotsText(draftOf({ under: 'chosen' }), scenario)).toEqual([
    'ADD SLOTS: 4 -> 6 AND AT THE ENDPOINT: 4 -> 6.',
  ]);
});

it('slots that are counted under the chosen setting are no way round it', () => {
  const order = scaleText(draftOf({ under: 'chosen' }), smallRush());
  expect(order).toBe('scale to 6 slots, and with or without these slots: ');
  expect(scaleText(draftOf({ under: 'present' }, { keep: true }), smallRush())).toBe(
    'scale to 6 slots. If you cannot: ',
  );
});

it('a gate that is kept has slots of its own, though others were counted under a setting that is not set', () => {
  const needed = (changes: object) =>
    (draftOf(changes) as { slotsNeeded: SlotsNeeded }).slotsNeeded;
  const own = needed({ under: 'present' });
  expect(slotsOfKept(own)).toBe(own);
  const others = [
    { under: 'present', needed: 8 },
    { under: 'no rule', needed: null },
  ];
  const kept = slotsOfKept(needed({ under: 'chosen', others }));
  expect(kept).toMatchObject({ under: 'present', needed: 8, others: [others[1]] });
  expect(slotsOfKept(needed({ under: 'chosen', others: [] }))).toBe(null);
  expect(scaleText(draftOf(kept ?? {}, { keep: true, chosen: null }), smallRush())).toBe(
    'scale to 8 slots. If you cannot: ',
  );
});

it('what slots serve is told with the gate under which they were counted, where that has no rule', () => {
  const lossSplit = { threshold: 0, capacity: 0.1, upstream: 0, goodput: 0.9 };
  const still = (under: string) =>
    stillLines(draftOf({ under: under as 'present' }, { lossSplit }))[0]?.text;
  expect(still('no rule')).toMatch(/; 6 slots without a rule serve at least 95\.0 % in time$/);
  expect(still('present')).toMatch(/; 6 slots serve at least 95\.0 % in time$/);
});

it('rules that go off are named with their values, in the order and in what undoes it', () => {
  const gate = { slots: 4, ageRejectS: 13, depthMultiple: 2, slackRejectS: 90 };
  const draft = draftOf({ under: 'no rule' });
  const off = 'ageRejectS 13, depthMultiple 2, slackRejectS 90';
  expect(slotsText(draft, smallRush({ gate }))).toEqual([
    `OR ADD SLOTS: 4 -> 6 AND TURN THE RULES OFF (${off}).`,
  ]);
  expect(scaleText(draft, smallRush({ gate }))).toBe(
    `scale to 6 slots and turn the rules off (${off}), PUT /admin/policy {"ageRejectS":null,"depthMultiple":null,"slackRejectS":null} (undo: {"ageRejectS":13,"depthMultiple":2,"slackRejectS":90}). If you cannot: `,
  );
});

describe('where no number of slots is enough', () => {
  const risen = {
    needed: null,
    curve: curve([4, 0.6], [8, 0.7], [16, 0.895], [32, 0.9], [64, 0.9]),
  };

  it('the fewest are ordered that bring what the most bring, and called not enough', () => {
    expect(slotsText(draftOf({ ...risen, under: 'chosen' }), smallRush())).toEqual([
      'ADD SLOTS: 4 -> 16, STILL NOT ENOUGH.',
    ]);
    const kept = draftOf(risen);
    expect(slotsText(kept, smallRush({ gate: { slots: 4, maxWaitS: 9 } }))).toEqual([
      'OR ADD SLOTS: 4 -> 16 AND KEEP maxWaitS 9, STILL NOT ENOUGH.',
    ]);
    expect(scaleText(draftOf(risen, { keep: true }), smallRush())).toBe(
      'scale to 16 slots (still not enough, and up to 64 bring no more). If you cannot: ',
    );
  });

  it('none are ordered where more bring nothing, though nothing is lost to capacity', () => {
    const level = { needed: null, curve: curve([4, 0.853], [8, 0.853], [16, 0.853]) };
    const draft = draftOf(level, { lossSplit: { capacity: 0, upstream: 0.14, goodput: 0.85 } });
    expect(slotsText(draft, smallRush())).toEqual(['MORE SLOTS DO NOT HELP.']);
    expect(scaleText(draft, smallRush())).toBe('');
    expect(stillLines(draft)[0]?.text).toBe(
      'no number of slots serves more than 85 %: a service alone outlasts the SLO, or the endpoint is the limit (its preempts and its slowdown cost 14 % of offered)',
    );
  });
});
