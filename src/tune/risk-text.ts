/** What a recommendation says of the worlds that are not as described: where it fails, by what, and what would hold. */
import { type Draft, type Line, line, mean, pc } from './recommend-parts.ts';
import { settingText } from './setting.ts';
import type { Cure, Sensitivity } from './types.ts';

/** What a table with one decimal shows, of offered. */
const LEAST_TOLD = 0.0005;

type Known = Pick<Draft, 'sensitivity' | 'limits' | 'gates' | 'params'>;

/**
 * The worst of the changed worlds: where the advised setting fails, or what it serves at least.
 * @param advised its name
 * @param isPresent whether it is the present setting, which serves as much as itself
 */
export function riskLines(draft: Known, advised: string, isPresent: boolean): Line[] {
  const sensitivity = draft.sensitivity.filter(({ notMade }) => notMade === undefined);
  if (sensitivity.length === 0) return [];
  const goodput = (one: Sensitivity) => mean(one.advised.goodput) ?? 1;
  const worst = sensitivity.reduce((a, b) => (goodput(b) < goodput(a) ? b : a));
  const fails = sensitivity.filter(({ holds }) => !holds);
  const told = fails.map((one) => `${one.change} (${reasonText(one, draft.limits.late)})`);
  const held = fails.length === 0 ? 'holds in all' : `FAILS with ${told.join(', ')}`;
  const loses = isPresent ? '' : losesText(sensitivity);
  return [
    line(
      'RISK',
      `of ${sensitivity.length} changed worlds ${advised} ${held}${cureText(fails, isPresent && othersGoOff(draft))}${loses}; worst is ${worst.change}: goodput ${pc(worst.advised.goodput)}, late ${pc(worst.advised.breach)} of the served${notMadeText(draft)}`,
    ),
  ];
}

/** A world that stayed as it is has shown nothing: it is not counted. */
function notMadeText({ sensitivity }: Known): string {
  const told = sensitivity.flatMap(({ change, notMade }) =>
    notMade === undefined ? [] : [`${change} (${notMade})`],
  );
  return told.length === 0 ? '' : `; not tried: ${told.join(', ')}`;
}

function reasonText({ advised, regret }: Sensitivity, limit: number): string {
  const late = mean(advised.breach) ?? 0;
  if (late > limit) return `${pc(late, 1)} late, ${pc(limit, 1)} allowed`;
  return `${points(regret ?? 0)} points below the best`;
}

/** What holds there and costs little in the world as described; only what was played is told. */
function cureText(fails: readonly Sensitivity[], isOther: boolean): string {
  const cured = fails.flatMap(({ change, cure }) => (cure === null ? [] : [{ change, cure }]));
  const [first] = cured;
  if (first === undefined) return '';
  const served = ({ figures }: Cure) => pc(figures.goodput);
  const isAll = cured.length === fails.length;
  const where = !isAll
    ? `with ${cured.map(({ change, cure }) => `${change} (${served(cure)} in time)`).join(', ')}`
    : `there: ${cured.map(({ cure }) => served(cure)).join(', ')} in time`;
  const { setting, cost } = first.cure;
  const off = isOther ? ', with the other rules off,' : '';
  return `; ${settingText(setting)}${off} holds ${where}, and costs ${costText(cost)} in the world as described`;
}

/** Whether what is tuned takes the place of other rules that the present gate has. */
function othersGoOff({ gates, params }: Known): boolean {
  const tuned = params.map(({ path }) => path);
  return gates.some(({ changes }) => changes.some(({ path }) => !tuned.includes(path)));
}

function costText(cost: number): string {
  return cost < LEAST_TOLD ? 'nothing' : `${points(cost)} points of offered`;
}

/** A setting may be good enough in a world and still worse than the one that it replaces. */
function losesText(sensitivity: readonly Sensitivity[]): string {
  const lost = sensitivity.flatMap(({ change, presentMore }) =>
    presentMore !== null && presentMore.lo > 0 && presentMore.mean >= LEAST_TOLD
      ? [`${change} (${points(presentMore.mean)} points)`]
      : [],
  );
  return lost.length === 0 ? '' : `; THE PRESENT SETTING SERVES MORE with ${lost.join(', ')}`;
}

function points(share: number): string {
  return (100 * share).toFixed(1);
}
