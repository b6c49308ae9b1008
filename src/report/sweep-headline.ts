/** What a sweep comes to in a sentence or three: the best setting, what it leaves, where it stands. */
import { isChoice } from '../result/choices.ts';
import { numberOf } from '../result/figure.ts';
import { valueWithUnit } from '../result/setting-value.ts';
import type { SweepDocument, SweepSetting } from '../tune/types.ts';
import { comparedOf } from './compared.ts';
import { list, percent, roughPercent } from './format.ts';
import { pathText, settingText } from './setting-text.ts';
import { goodputOf, SAME, type Said, unserved } from './sweep-asides.ts';

/** A loss that a reader should hear of, of offered. */
const NOTABLE = 0.02;
/** Environments that fit into a headline. */
const MOST_TOLD = 4;

/** The first line of a page, and what stands behind it. */
export interface SweepSummary {
  readonly headline: string;
  readonly evidence: readonly string[];
}

/**
 * Only what may be chosen is advised: rules, slots, checkpoints. How a log is read, and the load,
 * the services and the preempts that were tried are given: the best under each is told.
 */
export function sweepSummary(document: SweepDocument): SweepSummary {
  const { document: compared, none, leftOut } = comparedOf(document);
  if (none !== undefined) return { headline: none, evidence: leftOut };
  const { headline, evidence } = summaryOfReadings(compared);
  return { headline, evidence: [...evidence, ...leftOut] };
}

function summaryOfReadings(document: SweepDocument): SweepSummary {
  const readings = groupsBy(document, ({ path }) => path === READING);
  if (readings.length < 2 || document.axes.length < 2) return summaryOf(document);
  const [first, ...others] = readings.map(({ given, of }) => ({
    text: READING_TEXTS[`${given[READING]}`],
    ...summaryOf(of),
  }));
  return {
    headline: first?.headline ?? '',
    evidence: [
      ...(first?.evidence ?? []),
      ...others.map(({ text, headline }) => `${text}: ${headline}`),
    ],
  };
}

const READING = 'arrivals.retries';
const READING_TEXTS: Readonly<Record<string, string>> = {
  kept: 'With the retries of the log as demand',
  'left-out': 'With the retries of the log left out',
};

interface Group {
  readonly given: SweepSetting['setting'];
  readonly of: SweepDocument;
}

/** A document for each combination of the values of some axes, without these axes. */
function groupsBy(
  document: SweepDocument,
  isGiven: (axis: SweepDocument['axes'][number]) => boolean,
): Group[] {
  const paths = new Set(document.axes.filter(isGiven).map(({ path }) => path));
  const axes = document.axes.filter(({ path }) => !paths.has(path));
  const groups = new Map<string, { given: Group['given']; settings: SweepSetting[] }>();
  for (const each of document.settings) {
    const entries = Object.entries(each.setting);
    const given = Object.fromEntries(entries.filter(([path]) => paths.has(path)));
    const setting = Object.fromEntries(entries.filter(([path]) => !paths.has(path)));
    const key = JSON.stringify(given);
    const group = groups.get(key) ?? { given, settings: [] };
    group.settings.push({ ...each, setting });
    groups.set(key, group);
  }
  return [...groups.values()].map(({ given, settings }) => ({
    given,
    of: { ...document, axes, settings },
  }));
}

function summaryOf(document: SweepDocument): SweepSummary {
  const groups = groupsBy(document, ({ path }) => !isChoice(path));
  const [only] = groups;
  return groups.length > 1 || only === undefined ? underEach(groups) : bestSummary(only.of);
}

/** The best under each environment; nothing is said of which environment is best. */
function underEach(groups: readonly Group[]): SweepSummary {
  const common = asGoodEverywhere(groups);
  const told = groups.flatMap(({ given, of }) => {
    const best = common === undefined ? bestOf(of) : settingIn(of, common);
    if (best?.figures.rates.goodput == null) return [];
    const served = goodputOf(best) === 0 ? 'nothing' : percent(goodputOf(best));
    const choice = settingText(best.setting);
    const [aside] = asidesOf(of, best);
    return [{ at: `at ${givenText(given)}`, choice, served, aside }];
  });
  const [first] = told;
  if (first === undefined) return NOBODY;
  const isOne = told.every(({ choice }) => choice === first.choice);
  const parts = told.map(({ at, choice, served }) =>
    isOne || served === 'nothing' ? `${served} ${at}` : `${served} ${at} with ${choice}`,
  );
  const shown = parts.slice(0, MOST_TOLD);
  const more = parts.length - shown.length;
  const paths = Object.keys(groups[0]?.given ?? {}).map(pathText);
  return {
    headline: `${leadOf(isOne ? first.choice : undefined, paths)}: ${shown.join('; ')}${more > 0 ? `; ${more} more below` : ''}.`,
    evidence: [
      ...parts.slice(MOST_TOLD).map((part) => `${part}.`),
      ...told
        .slice(0, MOST_TOLD)
        .flatMap(({ at, aside }) =>
          aside === undefined ? [] : [`A${at.slice(1)}: ${aside.short} ${aside.why}`],
        ),
    ],
  };
}

/** The text of a setting that is as good as the best under every environment; undefined: none is. */
function asGoodEverywhere(groups: readonly Group[]): string | undefined {
  const texts = groups[0]?.of.settings.map(({ setting }) => settingText(setting)) ?? [];
  const shortBy = (text: string) =>
    Math.max(
      ...groups.map(({ of }) => {
        const best = bestOf(of);
        const own = settingIn(of, text);
        if (best === undefined) return 0;
        return own === undefined ? 1 : goodputOf(best) - goodputOf(own);
      }),
    );
  const least = Math.min(...texts.map(shortBy));
  return least <= SAME ? texts.find((text) => shortBy(text) === least) : undefined;
}

function settingIn({ settings }: SweepDocument, text: string): SweepSetting | undefined {
  return settings.find(({ setting }) => settingText(setting) === text);
}

/** The value alone where there is one path, which the headline names before. */
function givenText(given: Group['given']): string {
  const [one, ...others] = Object.entries(given);
  if (one === undefined || others.length > 0) return settingText(given);
  return valueWithUnit(one[0], one[1], '\u00a0');
}

/** @param choice the one setting that is best under all; undefined: they differ */
function leadOf(choice: string | undefined, paths: readonly string[]): string {
  const given = list(paths);
  if (choice === undefined) return `What serves most in time depends on ${given}; of offered`;
  if (choice === '') return `Served in time under each ${given}, of offered`;
  return `Most is served in time with ${choice} under each ${given}; of offered`;
}

const NOBODY: SweepSummary = { headline: 'No request arrived.', evidence: [] };

/** The best setting, then missing capacity or an end of what was tried, where there is either. */
function bestSummary(document: SweepDocument): SweepSummary {
  const best = bestOf(document);
  if (best === undefined) return NOBODY;
  if (goodputOf(best) === 0) return nothingServes(document, best);
  const { goodput, breach } = best.figures.rates;
  const figures = `${percent(numberOf(goodput))} of offered, ${percent(numberOf(breach))} of the served late`;
  const choice = settingText(best.setting);
  const order =
    choice === ''
      ? `As it is, served in time: ${figures}.`
      : `Most is served in time with ${choice}: ${figures}.`;
  const asides = asidesOf(document, best);
  return {
    headline: [order, ...asides.map(({ short }) => short)].join(' '),
    evidence: asides.map(({ why }) => why),
  };
}

function asidesOf(document: SweepDocument, best: SweepSetting): Said[] {
  const lost = 1 - goodputOf(best);
  return lost > NOTABLE ? unserved(document, best, lost) : [];
}

/** No best among settings of which none serves: what becomes of the requests is all there is to say. */
function nothingServes({ settings }: SweepDocument, { figures }: SweepSetting): SweepSummary {
  const { rejection, breach } = figures.rates;
  const away = numberOf(rejection);
  const late = numberOf(breach);
  const parts = [
    ...(away === null ? [] : [`${roughPercent(away)} of offered are turned away`]),
    ...(late === null ? [] : [`${roughPercent(late)} of the served are late or failed`]),
  ];
  return {
    headline:
      settings.length > 1
        ? 'Nothing is served in time under any setting that was tried.'
        : 'Nothing is served in time.',
    evidence:
      parts.length === 0
        ? []
        : [`${settings.length > 1 ? 'With the first of them ' : ''}${parts.join(', ')}.`],
  };
}

function bestOf({ settings }: SweepDocument): SweepSetting | undefined {
  return settings
    .filter(({ figures }) => figures.rates.goodput !== null)
    .reduce<SweepSetting | undefined>(
      (best, each) => (best === undefined || goodputOf(each) > goodputOf(best) ? each : best),
      undefined,
    );
}
