/** The rows of runbook 000's decision table that speak of single sessions. */
import {
  type Facts,
  type HeldLease,
  KILL_WINDOW_S,
  RETRY_BUDGET,
  SLACK_REJECT_S,
  type Window,
} from './facts.ts';
import { heldAt } from './hold-leak.ts';
import { endLease, inFull, putPolicy, round, seconds, stamp } from './text.ts';
import type { Verdict } from './types.ts';

/** "Interactive lease while slack is under 90s: reject debug. Deadline work owns the slots." */
export function rejectInteractive(windows: readonly Window[], facts: Facts): Verdict | undefined {
  const { rules, adminUrl } = facts;
  const limitS = rules.slackRejectS ?? SLACK_REJECT_S;
  const worst = windows
    .filter(({ slackS, toS }) => {
      if (slackS === null || slackS >= limitS) return false;
      return heldAt(facts.leases, toS).some(({ fromS }) => toS - fromS > rules.holdRejectS);
    })
    .reduce<Window | undefined>(leastSlack, undefined);
  if (worst === undefined || worst.slackS === null) return undefined;
  const isOn = rules.slackRejectS !== null && rules.rejectInteractive;
  const [longest] = heldAt(facts.leases, worst.toS);
  const heldS = worst.toS - (longest?.fromS ?? worst.toS);
  return {
    action: 'reject-interactive',
    headline: `REJECT NEW INTERACTIVE UNTIL SLACK > ${inFull(rules.slackAdmitS)} s.${stamp(facts.source, worst.toS)}`,
    signal: 'deadline_slack_seconds',
    value: worst.slackS,
    threshold: limitS,
    evidence: `slack ${seconds(worst.slackS)} < ${inFull(limitS)} s | an interactive lease held ${seconds(heldS)} > ${inFull(rules.holdRejectS)} s | the rule is ${isOn ? 'on' : 'off'}`,
    ...(isOn ? { first: 'nothing: the rule is on, the gate does this by itself' } : {}),
    commands: isOn ? [] : [putPolicy(adminUrl, { slackRejectS: limitS, rejectInteractive: true })],
    expect:
      'new sessions get 429 with reason deadline_slack; each slot that comes free goes to batch',
    wrongIf: 'a new interactive lease begins while slack is below the line',
    // What nobody did is not undone.
    undo: isOn ? '' : putPolicy(adminUrl, { rejectInteractive: false }),
  };
}

function leastSlack(least: Window | undefined, window: Window): Window {
  return least === undefined || (window.slackS ?? 0) <= (least.slackS ?? 0) ? window : least;
}

/** "Interactive retry count over 2: shed the client. Retries clone hold time." */
export function shedClients(facts: Facts): Verdict | undefined {
  const most = facts.rules.retryBudget ?? RETRY_BUDGET;
  const over = facts.retries
    .filter(({ retries }) => retries > most)
    .sort((a, b) => b.retries - a.retries);
  const [worst] = over;
  if (worst === undefined) return undefined;
  return {
    action: 'shed-client',
    headline: `SHED ${over
      .map(({ name }) => name)
      .slice(0, 5)
      .join(', ')}.${stamp(facts.source, null)}`,
    signal: 'retry_count',
    value: worst.retries,
    threshold: most,
    evidence: over.map(({ name, retries }) => `${name} tried again ${retries} times`).join('; '),
    commands: [putPolicy(facts.adminUrl, { retryBudget: most })],
    expect: `an interactive request that was retried more than ${most} times gets 429, which its client must not retry`,
    wrongIf: 'the retries are of batch work, which has a budget of its own',
    undo: putPolicy(facts.adminUrl, { retryBudget: facts.rules.retryBudget }),
  };
}

/** "Tokens grow with no batch progress: kill the lease. Free tokens are still finite." */
export function killLeases(windows: readonly Window[], facts: Facts): Verdict | undefined {
  const windowS = facts.rules.killWindowS ?? KILL_WINDOW_S;
  const stall = longestStall(windows, facts.isLive);
  if (stall === undefined || stall.toS - stall.fromS <= windowS) return undefined;
  const talkers = heldAt(facts.leases, stall.toS).filter(
    (lease) => (lease.tokens ?? 0) > 0 && isReadSince(lease, stall.toS - windowS),
  );
  if (talkers.length === 0) return undefined;
  const names = talkers.map(({ name }) => name);
  return {
    action: 'kill-lease',
    headline: `KILL ${names.join(', ')}: TOKENS GROW, NO BATCH PROGRESS.${stamp(facts.source, stall.toS)}`,
    signal: 'token_out',
    value: talkers.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0),
    threshold: 0,
    evidence: `batch waits and none has completed for ${seconds(stall.toS - stall.fromS)} > ${inFull(windowS)} s | ${talkers.map(({ name, tokens }) => `${name} has made ${round(tokens ?? 0)} tokens`).join('; ')}`,
    commands: names.map((name) => endLease(facts.adminUrl, name)),
    expect: 'the oldest batch job gets the slot at once',
    wrongIf: 'a batch job completes in the next minute by itself',
    undo: 'the session may be opened again once slack is large',
  };
}

/** Tokens grow where somebody reads them; a session that nobody reads has stopped. */
function isReadSince({ lastReadS }: HeldLease, sinceS: number): boolean {
  return lastReadS !== null && lastReadS > sinceS;
}

/** The longest time in which somebody waited and nothing completed. */
function longestStall(
  windows: readonly Window[],
  isLive: boolean,
): { readonly fromS: number; readonly toS: number } | undefined {
  if (isLive) return windows.at(-1);
  let longest: { fromS: number; toS: number } | undefined;
  let current: { fromS: number; toS: number } | undefined;
  for (const { fromS, toS, queued, completed, slackS } of windows) {
    if (queued === 0 || completed > 0 || slackS === null) {
      current = undefined;
      continue;
    }
    current = { fromS: current?.fromS ?? fromS, toS };
    if (longest === undefined || current.toS - current.fromS > longest.toS - longest.fromS) {
      longest = current;
    }
  }
  return longest;
}

/** "Slack over 180s and a slot free: admit debug. Spare slack is the only window." */
export function admitInteractive(last: Window, facts: Facts): Verdict | undefined {
  const { rules, slots } = facts;
  if (!facts.hasInteractive || last.slackS === null) return undefined;
  if (last.slackS <= rules.slackAdmitS || last.leased > slots - 1) return undefined;
  return {
    action: 'admit-interactive',
    headline: `ADMIT INTERACTIVE.${stamp(facts.source, last.toS)}`,
    signal: 'deadline_slack_seconds',
    value: last.slackS,
    threshold: rules.slackAdmitS,
    evidence: `slack ${seconds(last.slackS)} > ${inFull(rules.slackAdmitS)} s | slots ${round(last.leased)}/${slots} leased`,
    first: 'let a session come: the gate does not refuse it',
    commands: [],
    expect: 'a session takes the free slot and batch still has its slack',
    wrongIf: `slack falls below ${inFull(rules.slackRejectS ?? SLACK_REJECT_S)} s while it is held`,
    undo: '',
  };
}
