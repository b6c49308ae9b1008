import { numberOf } from '../result/figure.ts';
import type { Result } from '../result/types.ts';
import { count, list, plainSeconds, plural, roughPercent, setSeconds } from './format.ts';

/** Whether anything may be concluded from a run. */
export function isTrusted({ health }: Result): boolean {
  return health.status !== 'generator-limited';
}

/** What happened and whether the run was sound, from the figures alone. It advises nothing. */
export function whatHappened(result: Result): string {
  const offered = numberOf(result.outcomes.offered) ?? 0;
  const { durationS } = result.scenario.resolved;
  if (offered === 0) {
    return `No request arrived in ${setSeconds(durationS)}, so there is nothing to judge. ${soundness(result)}`;
  }
  const parts = [servedText(result, offered), turnedAwayText(result), lateText(result)];
  const runs = result.replications > 1 ? `Mean of ${count(result.replications)} runs: ` : '';
  return `${runs}${[...parts, ...otherTexts(result, offered)].join('; ')}. ${soundness(result)}`;
}

function servedText(result: Result, offered: number): string {
  const goodput = numberOf(result.rates.goodput) ?? 0;
  const of = `${roughPercent(goodput)} of ${plural(Math.round(offered), 'request')}`;
  return `${of} ${Math.round(offered) === 1 ? 'was' : 'were'} served within ${sloText(result)}`;
}

function sloText({ scenario }: Result): string {
  const { sloS, classes } = scenario.resolved;
  const own = Object.values(classes).some((each) => each.sloS !== null && each.sloS !== sloS);
  return own ? 'the SLO of their class' : setSeconds(sloS);
}

function turnedAwayText({ rates, refusalS, replications }: Result): string {
  const rejection = numberOf(rates.rejection) ?? 0;
  if (rejection === 0) return 'none turned away';
  const longest = numberOf(refusalS.max);
  return `${roughPercent(rejection)} turned away${afterText(longest, replications > 1)}`;
}

function afterText(longestS: number | null, isMean: boolean): string {
  if (longestS === null) return '';
  if (longestS < 0.0005) return ', at once';
  return isMean
    ? `, the longest kept ${plainSeconds(longestS)}`
    : `, after at most ${plainSeconds(longestS)}`;
}

function lateText({ rates, outcomes }: Result): string {
  const breach = numberOf(rates.breach);
  if (breach === null) return 'none served to the end';
  if (breach === 0) return 'none late';
  const failed = ['failed', 'killed'] as const;
  const harsh = failed.some((name) => (numberOf(outcomes[name]) ?? 0) > 0);
  return `${roughPercent(breach)} of the served late${harsh ? ' or failed' : ''}`;
}

const OTHER_WORDS: Partial<Record<keyof Result['outcomes'], string>> = {
  censored: 'still in flight at the end',
  undecided: 'broke before a decision',
  unsent: 'never sent',
};

/** What must not go unsaid: whoever was lost in some other way. */
function otherTexts({ outcomes }: Result, offered: number): string[] {
  const names = ['failed', 'killed', 'abandoned', 'censored', 'undecided', 'unsent'] as const;
  const lost = names.flatMap((name) => {
    const n = numberOf(outcomes[name]) ?? 0;
    return n > 0 ? [`${roughPercent(n / offered)} ${OTHER_WORDS[name] ?? name}`] : [];
  });
  return lost.length === 0 ? [] : [list(lost)];
}

function soundness({ health, engine }: Result): string {
  if (health.status === 'generator-limited') return 'Run: not to be trusted.';
  if (health.status === 'interrupted') {
    return 'Run: interrupted; the figures cover only what was measured.';
  }
  return engine === 'sim' ? 'Run: sound, simulated.' : 'Run: sound.';
}
