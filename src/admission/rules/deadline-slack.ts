import { sFromUs } from '../../units.ts';
import type { Policy, Rule, View } from '../types.ts';

/**
 * Runbook 000, SLACK_REJECT: refuse interactive work while the deadline slack of batch work is low
 * and an interactive lease is held too long. Silent while the operator's flag is off.
 */
export function deadlineSlack(policy: Policy): Rule | undefined {
  if (policy.slackRejectUs === null || !policy.rejectInteractive) return undefined;
  const reason = `deadline_slack_seconds below ${sFromUs(policy.slackRejectUs)}`;
  const refusal = { code: 'deadline_slack', reason } as const;
  return (view, _request, rules) =>
    rules.kind === 'interactive' && view.slackClosed ? refusal : undefined;
}

/**
 * Whether interactive work is refused from `nowUs` on. Closes below `slackRejectUs`, opens above
 * `slackAdmitUs` or when no interactive lease is held longer than `holdRejectUs`; between the two
 * thresholds the last verdict stays. Between two events slack only falls and holds only grow, so
 * asking before and after each event misses no crossing.
 */
export function slackClosed(view: View, nowUs: number): boolean {
  const { slackRejectUs, slackAdmitUs, holdRejectUs } = view.policy;
  if (slackRejectUs === null || view.longestHoldUs('interactive', nowUs) <= holdRejectUs) {
    return false;
  }
  const slackUs = view.slackUs(nowUs);
  if (slackUs === undefined) return false;
  if (slackUs < slackRejectUs) return true;
  return slackUs <= slackAdmitUs && view.slackClosed;
}
