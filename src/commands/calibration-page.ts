import { type Calibration, figuresOf, type Level } from '../calibrate/calibration.ts';
import { stretch } from '../calibrate/concurrency.ts';
import { drawsAt, streamKey } from '../random.ts';
import type { Chart, Layer } from '../report/chart.ts';
import { CHART_HEIGHT, ink } from '../report/chart.ts';
import { chartFigure, drawCharts, pageDocument } from '../report/document.ts';
import { html } from '../report/html.ts';
import { drawUs } from '../scenario/distribution.ts';
import type { Check } from './calibrate.ts';
import { calibrationHeadline, checkText, concurrencyText, kneeText } from './calibration-text.ts';

/** The fit as a page: what was measured, and the model over it. */
export async function calibrationPage(
  calibration: Calibration,
  levels: readonly Level[],
  check: Check | null,
  file: string,
): Promise<string> {
  const charts = await drawCharts([
    serviceChart(calibration),
    latencyChart(calibration, levels),
    throughputChart(levels),
  ]);
  const { named, n, because } = calibration;
  const body = html`<header class="top"><p><b>calibration</b></p>${calibration.interrupted && html`<p><span class="badge">INTERRUPTED</span></p>`}</header>
<main><h1>${calibrationHeadline(calibration, check, file)}</h1>
<p class="evidence">${sentence(because)}.</p>
<p class="source">${n} answers. ${sentence(concurrencyText(calibration))}. Knee: ${kneeText(calibration)}.${check !== null && ` Open loop ${checkText(check)}.`}</p>
<section><h2>Fits</h2><table><thead><tr><th>distribution</th><th>KS</th><th>p</th></tr></thead>
<tbody>${named.map(({ name, ks, p }) => html`<tr><th>${name}</th><td>${ks.toFixed(4)}</td><td>${p.toFixed(3)}</td></tr>`)}</tbody></table>
<p class="note">KS: the greatest distance between the two distribution functions. p is a little too kind, because the fit was made from the same values.</p></section>
<section><h2>Measured and fitted</h2><div class="charts">${charts.map(chartFigure)}</div></section></main>`;
  return pageDocument({ title: 'loadline: calibration', body, charts });
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const FITTED_DRAWS = 2000;
const CONNECTIONS = 'connections';

interface Curve {
  readonly x: number;
  readonly y: number;
}

function serviceChart(calibration: Calibration): Chart {
  const measured = calibration.quantilesS.map((x, i) => ({ x, y: i / 100 }));
  return {
    id: 'service',
    title: 'Service times, without load',
    notes: ['The share of service times at or below each value.'],
    legend: [
      { ink: 'busy', shape: 'line', label: 'measured' },
      { ink: 'limit', shape: 'dash', label: 'fitted' },
    ],
    summary: `Distribution of ${calibration.n} service times, measured and fitted.`,
    drawing: {
      height: CHART_HEIGHT,
      headroom: 0,
      hits: [],
      layers: [
        line(measured, 'busy', 'service time (s)', 'share'),
        line(fittedCurve(calibration), 'limit', 'service time (s)', 'share'),
      ],
    },
  };
}

/** By draws, as scenarios will draw. A service per token has no distribution of its own. */
function fittedCurve({ model: { service }, quantilesS }: Calibration): Curve[] {
  if ('tokens' in service) return quantilesS.map((x, i) => ({ x, y: i / 100 }));
  const key = streamKey(1, 'fitted');
  const draws = Array.from(
    { length: FITTED_DRAWS },
    (_, i) => drawUs(service, drawsAt(key, i)) / 1e6,
  );
  draws.sort((a, b) => a - b);
  return quantilesS.map((_, i) => ({
    x: draws[Math.min(draws.length - 1, Math.round((i / 100) * draws.length))] ?? 0,
    y: i / 100,
  }));
}

function latencyChart(calibration: Calibration, levels: readonly Level[]): Chart {
  const measured = levels.map(figuresOf).flatMap(({ connections, meanS }) => {
    return meanS === null ? [] : [{ x: connections, y: meanS }];
  });
  const first = measured[0]?.y ?? 0;
  const fitted = measured.map(({ x }) => ({
    x,
    y:
      (first / stretch(calibration.concurrency, measured[0]?.x ?? 1)) *
      stretch(calibration.concurrency, x),
  }));
  return {
    id: 'latency',
    title: 'Mean latency by connections',
    notes: ['Of what was answered.'],
    legend: [
      { ink: 'busy', shape: 'point', label: 'measured' },
      { ink: 'limit', shape: 'dash', label: 'fitted' },
    ],
    summary: `Mean latency at ${measured.length} numbers of connections.`,
    drawing: {
      height: CHART_HEIGHT,
      headroom: 0,
      hits: [],
      layers: [
        points(measured, CONNECTIONS, 'mean latency (s)'),
        line(fitted, 'limit', CONNECTIONS, 'mean latency (s)'),
      ],
    },
  };
}

function throughputChart(levels: readonly Level[]): Chart {
  const measured = levels
    .map(figuresOf)
    .map(({ connections, perS }) => ({ x: connections, y: perS }));
  return {
    id: 'throughput',
    title: 'Throughput by connections',
    notes: ['Answers per second; the knee is where it stops growing.'],
    legend: [{ ink: 'busy', shape: 'point', label: 'measured' }],
    summary: `Throughput at ${measured.length} numbers of connections.`,
    drawing: {
      height: CHART_HEIGHT,
      headroom: 0,
      hits: [],
      layers: [points(measured, CONNECTIONS, 'answers per second')],
    },
  };
}

function axes(x: string, y: string) {
  // Nobody has half a connection.
  const steps = x === CONNECTIONS ? { tickMinStep: 1 } : {};
  // On a telephone long labels would run into one another.
  const apart = { labelOverlap: true, labelSeparation: 10 } as const;
  return {
    x: { field: 'x', type: 'quantitative', axis: { title: x, ...apart, ...steps } },
    y: { field: 'y', type: 'quantitative', axis: { title: y } },
  } as const;
}

function line(values: readonly Curve[], colour: 'busy' | 'limit', x: string, y: string): Layer {
  const dash = colour === 'limit' ? { strokeDash: [5, 4] } : {};
  return {
    data: { values: [...values] },
    mark: { type: 'line', stroke: ink(colour), strokeWidth: 2, ...dash },
    encoding: { ...axes(x, y), order: { field: 'y', type: 'quantitative' } },
  };
}

function points(values: readonly Curve[], x: string, y: string): Layer {
  return {
    data: { values: [...values] },
    mark: { type: 'point', filled: true, size: 60, fill: ink('busy'), opacity: 1 },
    encoding: axes(x, y),
  };
}
