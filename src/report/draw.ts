import { Error as ErrorLevel, parse, type Spec, View } from 'vega';
import { expressionInterpreter } from 'vega-interpreter';
import { compile, type TopLevelSpec } from 'vega-lite';
import type { Drawing } from './chart.ts';

/** The width of the static pictures; the page's script draws them as wide as their place. */
const STATIC_WIDTH = 520;
const FONT =
  'ui-sans-serif, system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, sans-serif';
const TEXT_SIZE = 12;

export interface Drawn {
  /** Stands without JavaScript. */
  readonly svg: string;
  /** Drawn again by the page, with what the pointer finds. */
  readonly spec: Spec;
}

/** Draws on the server what the page will draw. Any warning of the chart compiler is a fault of ours and throws. */
export async function drawChart(drawing: Drawing, title: string): Promise<Drawn> {
  const spec = compiled(drawing);
  return { svg: slim(await toSvg(spec), title), spec };
}

function compiled(drawing: Drawing): Spec {
  const spec: TopLevelSpec = {
    width: STATIC_WIDTH,
    height: drawing.height,
    autosize: { type: 'fit', contains: 'padding' },
    padding: { top: 8 + drawing.headroom, right: 12, bottom: 4, left: 4 },
    layer: [...drawing.layers, ...drawing.hits],
    config: {
      font: FONT,
      background: 'transparent',
      aria: false,
      view: { stroke: null },
      axis: {
        labelColor: 'var(--soft)',
        titleColor: 'var(--soft)',
        gridColor: 'var(--grid)',
        domainColor: 'var(--axis)',
        tickColor: 'var(--axis)',
        labelFontSize: TEXT_SIZE,
        titleFontSize: TEXT_SIZE,
        titleFontWeight: 'normal',
        titlePadding: 8,
        tickSize: 4,
        labelLimit: 160,
      },
      axisX: { grid: false, labelFlush: false },
      axisY: { domain: false, ticks: false, labelPadding: 6 },
      text: { fontSize: TEXT_SIZE, fill: 'var(--ink)' },
    },
  };
  return compile(spec, { logger: strict }).spec;
}

async function toSvg(spec: Spec): Promise<string> {
  const view = new View(parse(spec, undefined, { ast: true }), {
    expr: expressionInterpreter,
    renderer: 'none',
    logLevel: ErrorLevel,
  });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}

/** Scales with its place, is named, and has nothing that nobody sees: no hits, no eighth digit. */
function slim(svg: string, title: string): string {
  const label = title.replace(/[&<>"]/g, '');
  return svg
    .replace(
      /<svg([^>]*?) width="[\d.]+" height="[\d.]+"/,
      `<svg$1 role="img" aria-label="${label}"`,
    )
    .replace(/ xmlns:xlink="[^"]*"/, '')
    .replace(/<path [^>]*fill="transparent"[^>]*\/?>(<\/path>)?/g, '')
    .replace(/ style="[^"]*"/g, '')
    .replace(/(\d\.\d{2})\d+/g, '$1');
}

function refuse(...messages: readonly unknown[]): never {
  throw new Error(`chart: ${messages.join(' ')}`);
}

const strict = {
  level: () => strict,
  error: refuse,
  warn: refuse,
  info: () => strict,
  debug: () => strict,
};
