import type { Policy, Rule } from '../types.ts';

/** Runbook 003, DEPTH_MULT: refuse while all slots are leased and more than a multiple of them wait. */
export function queueDepth({ depthMultiple, slots }: Policy): Rule | undefined {
  if (depthMultiple === null) return undefined;
  const most = depthMultiple * slots;
  const refusal = { code: 'queue_depth', reason: `queue_depth above ${most}` } as const;
  return (view) => (view.leased >= slots && view.queued > most ? refusal : undefined);
}
