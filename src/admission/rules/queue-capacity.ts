import type { Policy, Rule } from '../types.ts';

/** Refuse who would have to queue where the queue is full, or where the class may not queue. */
export function queueCapacity({ queueCapacity, slots }: Policy): Rule {
  const most = queueCapacity ?? Infinity;
  const full = { code: 'queue_capacity', reason: `queue_capacity ${most} reached` } as const;
  const mayNot = { code: 'queue_capacity', reason: 'no free slot and may not queue' } as const;
  return (view, _request, rules) => {
    if (view.leased < slots) return undefined;
    if (!rules.mayQueue) return mayNot;
    return view.queued >= most ? full : undefined;
  };
}
