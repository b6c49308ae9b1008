import { sFromUs } from '../../units.ts';
import type { Policy, Rule } from '../types.ts';

/** Refuse who would wait longer than this, by what is known of leases and queue now. */
export function predictedWait({ predictedWaitUs }: Policy): Rule | undefined {
  if (predictedWaitUs === null) return undefined;
  const reason = `predicted_wait_seconds above ${sFromUs(predictedWaitUs)}`;
  const refusal = { code: 'predicted_wait', reason } as const;
  return (view, request, _rules, nowUs) =>
    view.predictedWaitUs(request.class, nowUs) > predictedWaitUs ? refusal : undefined;
}
