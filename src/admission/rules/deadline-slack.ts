import { sFromUs } from '../../units.ts';
import type { Policy, View } from '../types.ts';
import { type Rule, ruleOf } from './rule.ts';

/**
 * Runbook 000, SLACK_REJECT: refuse interactive work while the deadline slack of batch work is low
 * and an interactive lease is held too long. Off while the operator's flag is off. The verdict is
 * kept by the machine ({@link slackClosed}), so an arrival need not be compared with a number.
 */
export function deadlineSlack({ slackRejectUs, rejectInteractive }: Policy): Rule {
  const seconds = sFromUs(slackRejectUs ?? 0);
  const most = rejectInteractive ? slackRejectUs : null;
  return ruleOf(most, 'deadline_slack', `deadline_slack_seconds below ${seconds}`);
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
