import type { Result } from '../../result/types.ts';
import { type Chart, ink, type Layer, shareAxis } from '../chart.ts';
import { percent, seconds } from '../format.ts';
import { type Axis, axisOf, base, hit, type Row, xOf } from './age-axis.ts';
import { decisions, turnedAway } from './age-decisions.ts';
import { late } from './age-late.ts';

/** Four charts against queue age, with the thresholds drawn in. */
export function byAgeCharts(result: Result): Chart[] {
  const axis = axisOf(result);
  return [decisions(result, axis), turnedAway(result, axis), late(result, axis), use(axis)];
}

function use(axis: Axis): Chart {
  const { lines, ...size } = base(axis);
  const values = (name: 'slots' | 'busy') =>
    axis.rows.flatMap((row) => {
      const y = row.bin[name];
      return y === null ? [] : [{ from: row.from, to: row.to, y: Math.min(1, y) }];
    });
  const busy = values('busy');
  const slots = values('slots');
  const level = (name: 'slots' | 'busy', strokeWidth: number): Layer => ({
    data: { values: name === 'slots' ? slots : busy },
    mark: { type: 'rule', stroke: ink(name), strokeWidth, strokeCap: 'butt' },
    encoding: {
      x: xOf(axis, 'from'),
      x2: { field: 'to' },
      y: { field: 'y', type: 'quantitative', ...shareAxis('share of capacity') },
    },
  });
  const tip = ({ where, bin }: Row) =>
    `${where}\nslots leased ${percent(bin.slots)}\nbusy ${bin.busy === null ? 'unknown' : percent(bin.busy)}\ntime at this age ${seconds(bin.timeS)}`;
  return {
    id: 'age-use',
    title: 'Slots and busy against queue age',
    notes: [
      busy.length === 0
        ? 'What share of the capacity computed is unknown: nothing reported it.'
        : 'Full slots with low busy at a high queue age mean that leases are held, not worked on.',
    ],
    legend: [
      { ink: 'slots', shape: 'wide', label: 'slots leased' },
      { ink: 'busy', shape: 'line', label: 'busy computing' },
    ],
    summary: 'Time-averaged share of slots leased and of capacity busy, by queue age.',
    drawing:
      slots.length === 0
        ? { empty: 'No time was measured at the gate.' }
        : {
            ...size,
            layers: [level('slots', 7), level('busy', 2.5), ...lines],
            hits: [hit(axis, tip)],
          },
  };
}
