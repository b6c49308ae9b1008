import { createModel } from '../../src/model/model.ts';
import type { Demand, Effect, Input, Model, ModelConfig } from '../../src/model/types.ts';

export const PLAIN: ModelConfig = {
  slots: 0,
  slowdown: { perRequest: 0, from: 0 },
  compute: {},
  firstTokenUs: null,
  checkpointTokens: 0,
  checkpointCostUs: 0,
  preempts: { type: 'none' },
  seed: 1,
};

export function model(change: Partial<ModelConfig> = {}): Model {
  return createModel({ ...PLAIN, ...change });
}

export function start(
  id: number,
  demand: Partial<Demand> = {},
  rest: Partial<Omit<Extract<Input, { type: 'start' }>, 'type' | 'id' | 'demand'>> = {},
): Input {
  return {
    type: 'start',
    id,
    class: 'task',
    demand: { serviceUs: 1000, inTokens: 0, outTokens: 10, holdUs: 0, ...demand },
    keySeq: id,
    attempt: 0,
    resumeTokens: 0,
    ...rest,
  };
}

/** Wakes a model whenever it asks, up to and with `untilUs`. */
export function play(machine: Model, untilUs = Number.POSITIVE_INFINITY): Effect[] {
  const seen: Effect[] = [];
  for (let steps = 0; steps < 100_000; steps++) {
    const due = machine.nextWakeUs();
    if (due === Number.POSITIVE_INFINITY || due > untilUs) return seen;
    seen.push(...machine.apply({ type: 'tick' }, due));
  }
  throw new Error('the model never came to rest');
}

/** `started 3 @10`, one line for each effect. */
export function lines(effects: readonly Effect[]): string[] {
  return effects.map(({ type, id, atUs }) => `${type} ${id} @${atUs}`);
}
