/**
 * `npx tsx test/bench/adaptive/run.ts [--runs 30]`: field case A24 as a table, the static cap as
 * the baseline, in some ten seconds. `test/engine/adaptive-limit.test.ts` holds its claims.
 */
import { parseArgs } from 'node:util';
import { pairedDifference } from '../../../src/tune/paired.ts';
import { textTable } from '../../../src/tune/text-table.ts';
import {
  type Behaviour,
  behaviourOf,
  LIMIT,
  type Played,
  play,
  WORLDS,
  type World,
} from './study.ts';

const { values: options } = parseArgs({ options: { runs: { type: 'string', default: '30' } } });
const RUNS = Number(options.runs);
/** Slots at which the way down counts as gone: the limit shrinks where work takes half as long again as on 8. */
const DOWN_TO = 12;

function meanOf(runs: readonly Played[], path: string): number {
  return runs.reduce((sum, { figures }) => sum + (figures[path] ?? 0), 0) / runs.length;
}

function rowOf(name: string, runs: readonly Played[], more: readonly string[]): string[] {
  const percent = (path: string) => (100 * meanOf(runs, path)).toFixed(1);
  const p99 = meanOf(runs, 'responseS.p99').toFixed(0);
  return [
    name,
    percent('rates.goodput'),
    percent('rates.rejection'),
    percent('rates.breach'),
    p99,
    ...more,
  ];
}

function rowsOf(world: World): string[][] {
  const at = Array.from({ length: RUNS }, (_, k) => k);
  const fixed = at.map((k) => play(world, k));
  const adaptive = at.map((k) => play(world, k, LIMIT));
  const goodput = (runs: readonly Played[]) =>
    runs.map(({ figures }) => figures['rates.goodput'] ?? null);
  const gain = pairedDifference(goodput(adaptive), goodput(fixed));
  const points = (x: number | undefined) => (100 * (x ?? 0)).toFixed(1);
  const all = adaptive.map(({ limits }) => behaviourOf(limits, DOWN_TO));
  const most = (of: (one: Behaviour) => number | null) =>
    Math.max(...all.map((one) => of(one) ?? Infinity));
  const swing = [0, 1, 2].map((i) => (100 * most(({ swing: each }) => each[i] ?? 0)).toFixed(0));
  const kind = world.thrash > 0 ? 'slows down' : 'queues';
  return [
    rowOf(`load ${world.load}, ${kind}: static cap`, fixed, ['', '', '', '', '']),
    rowOf(`load ${world.load}, ${kind}: adaptive`, adaptive, [
      `${points(gain?.mean)} [${points(gain?.lo)}, ${points(gain?.hi)}]`,
      String(Math.min(...all.map(({ least }) => least))),
      most(({ downS }) => downS).toFixed(0),
      most(({ upS }) => upS).toFixed(0),
      swing.join(', '),
    ]),
  ];
}

const head = [
  'world',
  'goodput %',
  'turned away %',
  'late %',
  'p99 s',
  'goodput gained',
  'least',
  'down s',
  'up s',
  'swing %',
];
console.log(
  `${RUNS} runs each; half of the capacity for the middle third; of the limit the worst of the runs\n${textTable([head, ...WORLDS.flatMap(rowsOf)])}`,
);
