import { createHash } from 'node:crypto';
import { type Chart, isEmpty } from './chart.ts';
import { type Drawn, drawChart } from './draw.ts';
import { escapeHtml, type Html, html, raw, scriptJson } from './html.ts';
import { pageRuntime } from './runtime.ts';
import { STYLE } from './style.ts';
import { wordsOf } from './words.ts';

const FOOTER = html`<footer>Made by loadline. Charts drawn by Vega (BSD-3-Clause, University of Washington Interactive Data Lab and contributors). This page loads nothing.</footer>`;

export interface PageParts {
  readonly title: string;
  readonly body: Html;
  /** Those whose figures stand in the body, for the script to draw again. */
  readonly charts: readonly DrawnChart[];
  /** False: a list of pages, which explains no words. */
  readonly words?: boolean;
  /** The program and its version, for who asks whether this one would make the same page. */
  readonly maker?: string | undefined;
}

export interface DrawnChart {
  readonly chart: Chart;
  /** null where there was nothing to draw. */
  readonly drawn: Drawn | null;
}

export async function drawCharts(charts: readonly Chart[]): Promise<DrawnChart[]> {
  const all: DrawnChart[] = [];
  for (const chart of charts) all.push(await drawOne(chart));
  return all;
}

async function drawOne(chart: Chart): Promise<DrawnChart> {
  const { drawing, summary } = chart;
  return { chart, drawn: isEmpty(drawing) ? null : await drawChart(drawing, summary) };
}

/** A figure: title, legend, picture, notes. */
export function chartFigure({ chart, drawn }: DrawnChart): Html {
  const { drawing, id, title, legend, notes } = chart;
  const picture = isEmpty(drawing)
    ? html`<p class="empty">${drawing.empty}</p>`
    : html`<ul class="legend">${legend.map((item) => html`<li><i class="key ${item.shape} ink-${item.ink}"></i>${item.label}</li>`)}</ul>
<div class="chart" id="${id}">${raw(drawn?.svg ?? '')}</div>`;
  return html`<figure>
<figcaption>${title}</figcaption>
${picture}
${notes.length > 0 && html`<p class="note">${notes.join(' ')}</p>`}
</figure>`;
}

/** One file that stands alone: nothing is fetched, and nothing runs but the script that is named by its hash. */
export async function pageDocument(parts: PageParts): Promise<string> {
  const { title, body, charts, words = true, maker } = parts;
  const drawn = charts.flatMap(({ chart, drawn: each }) =>
    each === null ? [] : [{ id: chart.id, spec: each.spec }],
  );
  const script = drawn.length === 0 ? '' : await pageRuntime();
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(STYLE)}`,
    script === '' ? "script-src 'none'" : `script-src ${hashOf(script)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">${maker === undefined ? '' : `\n<meta name="generator" content="${escapeHtml(maker)}">`}
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${wellBroken(body.html)}
${words ? wordsOf(body).html : ''}
${FOOTER.html}
${drawn.length === 0 ? '' : `<script type="application/json" id="charts">${scriptJson(drawn).html}</script>\n<script>${script}</script>`}
</body>
</html>
`;
}

/** In characters: more do not fit beside each other in a heading on a telephone. */
const LONGEST_UNBROKEN = 18;

/** Where the lines of headings and paragraphs may end, and where not. */
function wellBroken(page: string): string {
  return page.replace(/<(h[12]|p)\b[\s\S]*?<\/\1>/g, (text, element) =>
    (element === 'p' ? text : unbrokenArrows(text)).replace(
      /(<[^>]*>)|[^ \n<>]+/g,
      (part: string, tag?: string) => tag ?? loosened(part),
    ),
  );
}

/** `16 -> 24` in a heading is one thing: a line that ends with the arrow reads as if nothing came. */
function unbrokenArrows(heading: string): string {
  return heading.replace(/ (-&gt;|→) /g, '\u00a0→\u00a0');
}

/** What stays together and is too long would be broken inside a word: broken first after a name. */
function loosened(text: string): string {
  if (text.length <= LONGEST_UNBROKEN) return text;
  const joint = text.indexOf('\u00a0');
  if (joint < 0) return text.replace(/\.(?=\w)/g, '.<wbr>');
  return `${loosened(text.slice(0, joint))} ${loosened(text.slice(joint + 1))}`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
