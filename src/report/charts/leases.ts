import type { Result, Series } from '../../result/types.ts';
import { type Chart, ink } from '../chart.ts';
import { plural, seconds, short } from '../format.ts';

type Lease = Series['leases'][number];

const MOST_ROWS = 24;
const ROW_HEIGHT = 17;

/** Who held slots the longest; absent where nobody holds one beyond its work. */
export function leasesChart(result: Result): Chart | undefined {
  const { classes, durationS } = result.scenario.resolved;
  const holders = Object.values(classes).some(
    (each) => each.hold !== null || each.kind === 'interactive',
  );
  if (!holders) return undefined;
  const leases = result.series.leases.slice(0, MOST_ROWS);
  const end = Math.max(durationS, ...leases.map((lease) => lease.toS));
  const kindOf = (lease: Lease) => classes[lease.class]?.kind ?? 'batch';
  const rows = leases.map((lease) => ({
    name: nameOf(lease),
    from: lease.fromS,
    to: lease.toS,
    kind: kindOf(lease),
    tip: tipOf(lease),
  }));
  const [longest] = leases;
  return {
    id: 'leases',
    title: 'Who held slots',
    notes: [
      `The ${plural(leases.length, 'longest lease', 'longest leases')}, the longest first.`,
      'An interactive lease may hold a slot and compute little.',
    ],
    legend: [
      { ink: 'late', shape: 'bar', label: 'interactive' },
      { ink: 'admitted', shape: 'bar', label: 'batch' },
    ],
    summary:
      longest === undefined
        ? 'No leases.'
        : `The longest lease: ${nameOf(longest)}, ${seconds(longest.toS - longest.fromS)}.`,
    drawing:
      leases.length === 0
        ? { empty: 'No slot was leased.' }
        : {
            height: 56 + ROW_HEIGHT * leases.length,
            headroom: 0,
            layers: [
              {
                data: { values: rows.map(({ tip: _tip, ...row }) => row) },
                mark: { type: 'bar', height: 11 },
                encoding: encodingOf(rows, end),
              },
            ],
            hits: [
              {
                data: { values: rows },
                mark: { type: 'bar', height: 15, fill: 'transparent' },
                encoding: {
                  ...encodingOf(rows, end),
                  fill: { value: 'transparent' },
                  tooltip: { field: 'tip', type: 'nominal' },
                },
              },
            ],
          },
  };
}

function encodingOf(rows: readonly { name: string }[], end: number) {
  return {
    x: {
      field: 'from',
      type: 'quantitative' as const,
      scale: { domain: [0, end], nice: false },
      axis: { title: 'time since the start (s)', tickCount: 6, format: '~r' },
    },
    x2: { field: 'to' },
    y: {
      field: 'name',
      type: 'nominal' as const,
      scale: { domain: rows.map((row) => row.name) },
      axis: { title: null, labelLimit: 120 },
    },
    fill: {
      field: 'kind',
      type: 'nominal' as const,
      scale: { domain: ['interactive', 'batch'], range: [ink('late'), ink('admitted')] },
      legend: null,
    },
  };
}

function nameOf(lease: Lease): string {
  return lease.client === null ? `${lease.class} ${lease.seq}` : `${lease.client} (${lease.seq})`;
}

function tipOf(lease: Lease): string {
  const lines = [
    nameOf(lease),
    `class ${lease.class}`,
    `held ${seconds(lease.toS - lease.fromS)}, from ${short(lease.fromS)} to ${seconds(lease.toS)}`,
    `ended: ${lease.ended}`,
  ];
  if (lease.lastReadS !== null) lines.push(`its client last read at ${seconds(lease.lastReadS)}`);
  return lines.join('\n');
}
