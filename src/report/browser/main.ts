/**
 * What runs in the page: draws each chart again where its static picture stands, as wide as its
 * place, with tooltips. Without it the pictures stand. No eval: expressions are interpreted.
 */
import { parse, type Spec, View } from 'vega';
import { expressionInterpreter } from 'vega-interpreter';

/** As much of the DOM as is used here; the rest of the project has none. */
interface Place {
  textContent: string | null;
  hidden: boolean;
  className: string;
  readonly clientWidth: number;
  readonly offsetWidth: number;
  readonly offsetHeight: number;
  readonly style: { left: string; top: string };
  replaceChildren(...places: Place[]): void;
  append(place: Place): void;
  setAttribute(name: string, value: string): void;
  addEventListener(type: string, listener: (event: { key?: string }) => void): void;
}

declare const document: {
  readonly body: Place;
  readonly documentElement: Place;
  createElement(name: string): Place;
  getElementById(id: string): Place | null;
  addEventListener(type: string, listener: (event: { key?: string }) => void): void;
};
declare const window: { addEventListener(type: string, listener: () => void): void };

interface Drawn {
  readonly id: string;
  readonly spec: Spec;
}

interface Pointer {
  readonly clientX: number;
  readonly clientY: number;
}

const LEAST_WIDTH = 240;
const GAP = 14;

function makeTip(): Place {
  const tip = document.createElement('div');
  tip.className = 'tip';
  tip.setAttribute('role', 'status');
  tip.hidden = true;
  document.body.append(tip);
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') tip.hidden = true;
  });
  return tip;
}

/** Beside the pointer, never beyond the window. */
function showTip(tip: Place, { clientX, clientY }: Pointer, text: unknown): void {
  tip.hidden = typeof text !== 'string' || text === '';
  if (tip.hidden) return;
  tip.textContent = String(text);
  const room = document.documentElement;
  const right = clientX + GAP + tip.offsetWidth < room.clientWidth;
  const left = right ? clientX + GAP : Math.max(0, clientX - GAP - tip.offsetWidth);
  tip.style.left = `${left}px`;
  tip.style.top = `${Math.max(0, clientY - GAP - tip.offsetHeight)}px`;
}

async function draw({ id, spec }: Drawn, tip: Place): Promise<void> {
  const place = document.getElementById(id);
  if (place === null) return;
  const width = () => Math.max(LEAST_WIDTH, place.clientWidth);
  const canvas = document.createElement('div');
  const view = new View(parse(spec, undefined, { ast: true }), {
    expr: expressionInterpreter,
    renderer: 'svg',
    tooltip: (_handler, event, _item, value) => showTip(tip, event as unknown as Pointer, value),
  });
  view.initialize(canvas as unknown as string).width(width());
  await view.runAsync();
  place.replaceChildren(canvas);
  place.setAttribute('data-drawn', 'true');
  window.addEventListener('resize', () => void view.width(width()).runAsync());
}

const charts: Drawn[] = JSON.parse(document.getElementById('charts')?.textContent ?? '[]');
const tip = makeTip();
void Promise.all(charts.map((chart) => draw(chart, tip)));
