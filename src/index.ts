export type { Result } from './result/types.ts';
export { defineScenario } from './scenario/define.ts';
export type { ScenarioInput } from './scenario/schema.ts';
export type { Scenario } from './scenario/types.ts';
