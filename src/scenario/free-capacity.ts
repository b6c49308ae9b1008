import { tokensOf } from './distribution.ts';
import type { ClassSpec, Scenario } from './types.ts';

/** Runbook 001: "the page has a sub-minute latency SLO attached". */
const SHORT_SLO_S = 60;
/** "Prompt tokens dwarf the remaining output tokens": from so many times as many. */
const DWARFS = 4;

/**
 * What can be known before a run of runbook 001's cases in which free capacity is the wrong bet,
 * one line each, by the name of what is wrong. Empty where no slot is taken back.
 */
export function freeCapacityWarnings(scenario: Scenario): string[] {
  const { preempts, checkpointTokens, resume } = scenario.model;
  // Where memory runs out nobody takes a slot back.
  if (preempts.type === 'none' || preempts.type === 'memory') return [];
  const warnings = Object.entries(scenario.classes).flatMap(([name, spec]) => [
    ...shortSlo(name, spec.sloS ?? scenario.sloS),
    ...dwarfed(name, spec),
  ]);
  if (checkpointTokens > 0 && resume) return warnings;
  const what = checkpointTokens > 0 ? 'model.resume is false' : 'model.checkpointTokens is 0';
  return [
    ...warnings,
    `free capacity, no-checkpoint: ${what}, so each preempt loses all output of a task`,
  ];
}

function shortSlo(name: string, sloS: number): string[] {
  if (sloS >= SHORT_SLO_S) return [];
  return [
    `free capacity, sub-minute-slo: class ${name} has an SLO of ${sloS} s, which one preempt can break`,
  ];
}

function dwarfed(name: string, spec: ClassSpec): string[] {
  const { inTokens, outTokens } = tokensOf(spec);
  if (inTokens < DWARFS * outTokens) return [];
  return [
    `free capacity, prompt-dwarfs-output: class ${name} has ${inTokens} prompt tokens to ${outTokens} of output, and each restart makes the prompt again`,
  ];
}
