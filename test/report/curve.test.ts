import { describe, expect, it } from 'vitest';
import { isEmpty } from '../../src/report/chart.ts';
import { type Curve, type CurvePoint, curveChart } from '../../src/report/curve.ts';
import { drawChart } from '../../src/report/draw.ts';

const curve = (of: Partial<Curve> & { points: readonly CurvePoint[] }): Curve => ({
  ...{ id: 'c', title: 'T', notes: [], xTitle: 'x (s)', yTitle: 'share', kind: 'share' },
  ticks: of.points.map(({ at }) => String(of.xs?.[at] ?? at)),
  series: [{ ink: 'admitted', label: 'served', points: of.points }],
  ...of,
});

interface Shown {
  readonly data: { readonly values: readonly Record<string, number>[] };
  readonly mark: { readonly type: string };
  readonly encoding: {
    readonly x: {
      readonly scale: { readonly type?: string; readonly domain: readonly [number, number] };
      readonly axis: { readonly values: readonly number[] };
    };
  };
}

/** The layers of one kind of mark, after the whole chart has been drawn without a warning. */
async function drawn(of: Curve, mark: string): Promise<Shown[]> {
  const { drawing } = curveChart(of);
  if (isEmpty(drawing)) throw new Error('expected a drawing');
  await drawChart(drawing, 'T');
  const layers = drawing.layers as unknown as Shown[];
  return layers.filter((layer) => layer.mark.type === mark);
}

const along = (n: number): CurvePoint[] => Array.from({ length: n }, (_, at) => ({ at, y: 0.5 }));

describe('the band of a curve', () => {
  const points = [
    { at: 0, y: 0.01, lo: -0.03, hi: 0.05 },
    { at: 1, y: 0.99, lo: 0.95, hi: 1.03 },
  ];

  it('of shares stays between none and all', async () => {
    const [band] = await drawn(curve({ points }), 'area');
    expect(band?.data.values.map(({ lo, hi }) => [lo, hi])).toEqual([
      [0, 0.05],
      [0.95, 1],
    ]);
  });

  it('of times is not below 0, and has no other end', async () => {
    const [band] = await drawn(curve({ points, kind: 'number' }), 'area');
    expect(band?.data.values.map(({ lo, hi }) => [lo, hi])).toEqual([
      [0, 0.05],
      [0.95, 1.03],
    ]);
  });
});

describe('the level axis of a curve', () => {
  const xOf = async (xs: readonly number[] | undefined, more: Partial<Curve> = {}) => {
    const points = along(xs?.length ?? 3);
    const [line] = await drawn(
      curve({ points, ...(xs === undefined ? {} : { xs }), ...more }),
      'line',
    );
    const { scale, axis } = line?.encoding.x ?? {};
    return { scale, ticks: axis?.values, places: line?.data.values.map(({ at }) => at) };
  };

  it('has numbers at their distance, and round ticks', async () => {
    const { scale, ticks, places } = await xOf([1, 9, 17, 25, 26, 27, 60, 120]);
    expect(places).toEqual([1, 9, 17, 25, 26, 27, 60, 120]);
    expect(scale?.type).toBeUndefined();
    expect(scale?.domain[0]).toBeLessThan(1);
    expect(scale?.domain[1]).toBeGreaterThan(120);
    expect(ticks).toEqual([20, 40, 60, 80, 100, 120]);
  });

  it('is logarithmic where over two decades half of the values would stand on each other', async () => {
    const { scale, ticks } = await xOf([0.5, 1, 2, 5, 10, 50, 200]);
    expect(scale?.type).toBe('log');
    expect(ticks).toEqual([0.5, 1, 2, 5, 10, 20, 50, 100, 200]);
    const even = Array.from({ length: 120 }, (_, i) => i + 1);
    expect((await xOf(even)).scale?.type).toBeUndefined();
    expect((await xOf([0, 1, 2, 5, 200])).scale?.type).toBeUndefined();
  });

  it('has no half of a whole number', async () => {
    expect((await xOf([16, 17, 18, 19])).ticks).toEqual([16, 17, 18, 19]);
    expect((await xOf([0.1, 0.2, 0.4])).ticks).toEqual([0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4]);
  });

  it('is evenly spaced without numbers, and where they are no range', async () => {
    expect((await xOf(undefined)).places).toEqual([0, 1, 2]);
    expect((await xOf([30, 10, 20])).places).toEqual([0, 1, 2]);
  });

  it('has flat region and marks at the same places', async () => {
    const of = curve({
      points: along(4),
      xs: [10, 20, 40, 80],
      flat: [1, 2],
      marks: [{ at: 2, label: 'chosen' }],
    });
    const [region] = await drawn(of, 'rect');
    expect(region?.data.values).toMatchObject([{ from: 17.5, to: 50 }]);
    const [rule] = await drawn(of, 'rule');
    expect(rule?.data.values[0]).toMatchObject({ at: 40 });
  });
});

it('names what may not be crossed in the legend, where no curve runs through the name', async () => {
  const limited = curve({ points: along(3), limits: [{ at: 0.05, label: 'late, allowed 5 %' }] });
  expect(curveChart(limited).legend).toContainEqual(
    expect.objectContaining({ shape: 'dash', label: 'late, allowed 5 %' }),
  );
  expect(await drawn(limited, 'rule')).toHaveLength(1);
  expect(await drawn(limited, 'text')).toEqual([]);
});
