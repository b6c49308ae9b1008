import { numberOf } from '../result/figure.ts';
import { valueWithUnit } from '../result/setting-value.ts';
import type { Figure } from '../result/types.ts';
import { figureCell, meanCell, percentCell, shortNumber, textTable } from './text-table.ts';
import type { SweepDocument, SweepSetting } from './types.ts';

/** A sweep as a table for a terminal. */
export function sweepTable(document: SweepDocument): string {
  const { scenario, origin, replications, seed, axes, settings } = document;
  const runs = replications > 1 ? `, ${replications} replications (mean, 95 % interval)` : '';
  const target = origin.target === 'stub' ? ', STUB' : '';
  const heading = `${scenario.name}  ${origin.engine}${target}  seed ${seed}${runs}`;
  const preempted = settings.some(({ figures }) => (numberOf(figures.preempts) ?? 0) > 0);
  const gone = settings.some(({ figures }) => (numberOf(goneOf(figures)) ?? 0) > 0);
  const head = [
    ...axes.map(({ path }) => path.replace(/^gate\./, '')),
    'offered',
    'turned away %',
    'breach %',
    'goodput %',
    'response p95 s',
    'p99 s',
    'wait p99 s',
    'slots %',
    'busy %',
    ...(gone ? ['for callers who left %'] : []),
    ...(preempted ? ['preempts a task', 'redone %'] : []),
  ];
  const rows = settings.map(({ setting, figures }) => [
    ...axes.map(({ path }) => valueWithUnit(path, setting[path])),
    meanCell(figures.outcomes.offered, (value) => value.toFixed(1)),
    percentCell(figures.rates.rejection),
    percentCell(figures.rates.breach),
    percentCell(figures.rates.goodput),
    figureCell(figures.responseS.p95, shortNumber),
    meanCell(figures.responseS.p99, shortNumber),
    meanCell(figures.waitS.p99, shortNumber),
    meanCell(figures.utilization.slots, (value) => (100 * value).toFixed(1)),
    meanCell(figures.utilization.busy, (value) => (100 * value).toFixed(1)),
    ...(gone ? [percentCell(goneOf(figures))] : []),
    ...(preempted
      ? [
          meanCell(figures.preemptsPerTask.mean, (value) => value.toFixed(2)),
          percentCell(figures.tokens.redoneShare),
        ]
      : []),
  ]);
  const notes = document.notes.map((note) => `  ${note}\n`).join('');
  return `${heading}\n\n${textTable([head, ...rows])}${notes}`;
}

/** Of all slot time. */
function goneOf({ callersGone }: SweepSetting['figures']): Figure {
  return callersGone?.share ?? null;
}
