/**
 * The look of every page. Colours have roles; each role is told apart by lightness as well as by
 * hue, so that it survives colour blindness and grey paper.
 */
export const STYLE = `
:root {
  --paper: #fff; --ink: #1b1f24; --soft: #57606a; --line: #d8dde3; --grid: #eceff2; --axis: #9aa4af; --panel: #f5f7f9;
  --admitted: #3f7cbf; --expired: #ecb04a; --rejected: #bf4a22; --late: #7a1f45; --slots: #a9c8e8; --busy: #123a66;
  --age: #3f6f5f; --limit: #1b1f24; --band: #cfe0f2; --burst: #f0ebe1;
  --run0: #3f7cbf; --run1: #c4632b; --run2: #2f7f68; --run3: #7a1f45; --run4: #a98a1e; --run5: #57606a;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #14181d; --ink: #e7eaee; --soft: #a5aeb8; --line: #333b45; --grid: #242b33; --axis: #5c6773; --panel: #1c2229;
    --admitted: #5b9bdd; --expired: #f3cd7e; --rejected: #d9683c; --late: #f0a3c0; --slots: #35587d; --busy: #b9dcff;
    --age: #7cc4ab; --limit: #f4f6f8; --band: #26415e; --burst: #29261f;
    --run0: #5b9bdd; --run1: #ee9a63; --run2: #6cc7a8; --run3: #f0a3c0; --run4: #e0c766; --run5: #a5aeb8;
  }
}
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); -webkit-text-size-adjust: 100%; }
body {
  max-width: 1160px; margin: 0 auto; padding: 24px 24px 56px;
  font: 15px/1.5 ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: break-word;
}
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 10px; font-weight: 650; letter-spacing: -0.01em; text-wrap: balance; }
h2 { font-size: 18px; line-height: 1.3; margin: 0 0 10px; font-weight: 650; }
p { margin: 0 0 10px; max-width: 78ch; }
small, .note { font-size: 13px; color: var(--soft); }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace; font-size: 0.9em; }
code { overflow-wrap: anywhere; }
pre { margin: 0; padding: 10px 12px; background: var(--panel); border-radius: 6px; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
a { color: inherit; text-underline-offset: 3px; }
.top { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 12px; margin-bottom: 20px; color: var(--soft); font-size: 14px; }
.top p { margin: 0; }
.top b { color: var(--ink); }
.badge { display: inline-block; padding: 1px 8px; border: 1.5px solid var(--ink); border-radius: 4px; color: var(--ink); font-size: 12px; letter-spacing: 0.06em; }
.verdict { margin-bottom: 20px; }
.verdict.other { padding-top: 16px; border-top: 1px solid var(--line); }
.basis { display: inline-block; font-size: 14px; font-weight: normal; letter-spacing: 0; color: var(--soft); }
.evidence { font-size: 16px; }
.steps { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 8px 16px; margin: 14px 0; max-width: 86ch; }
.steps dt { font-weight: 650; font-size: 13px; letter-spacing: 0.02em; padding-top: 1px; }
.steps dd { margin: 0; }
.steps ul, section > ul { margin: 0; padding-left: 18px; }
.happened { font-size: 17px; }
.source { color: var(--soft); font-size: 14px; }
section { margin-top: 36px; }
.verdict { margin-top: 0; }
.tables { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 28px 36px; }
.tables > * { grid-column: span 2; min-width: 0; }
.tables > .half { grid-column: span 1; }
table { width: 100%; border-collapse: collapse; }
caption { text-align: left; font-weight: 650; padding-bottom: 4px; }
th, td { padding: 5px 0 5px 14px; text-align: right; vertical-align: top; border-bottom: 1px solid var(--line); font-weight: normal; }
th:first-child { text-align: left; padding-left: 0; }
thead th { color: var(--soft); font-size: 13px; vertical-align: bottom; }
tbody th small { display: block; line-height: 1.3; }
.beyond, .spread { display: block; line-height: 1.35; white-space: nowrap; }
p .spread { display: inline; white-space: normal; }
p .spread br { display: none; }
p .spread .runs::before { content: ', '; }
p .spread::before { content: ' ('; }
p .spread::after { content: ')'; }
.sub { display: inline-block; padding-left: 16px; color: var(--soft); }
.none { color: var(--soft); }
.charts { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 32px 36px; margin-top: 14px; }
.charts > figure:last-child:nth-child(odd) { grid-column: 1 / -1; }
figure { margin: 0; min-width: 0; break-inside: avoid; }
figcaption { font-weight: 650; margin-bottom: 4px; }
figure .note { margin: 4px 0 0; }
.chart svg { display: block; width: 100%; height: auto; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 0 0 4px; padding: 0; list-style: none; font-size: 13px; color: var(--soft); }
.legend li { display: flex; align-items: center; gap: 6px; }
.key { flex: none; width: 14px; height: 10px; background: currentColor; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.key.line { width: 18px; height: 2.5px; }
.key.thin { width: 2px; height: 12px; opacity: 0.5; margin: 0 4px; }
.key.wide { width: 18px; height: 6px; }
.key.point { width: 9px; height: 9px; border-radius: 50%; }
.key.dash { width: 18px; height: 0; background: none; border-top: 2px dashed currentColor; }
.empty { margin: 8px 0; padding: 18px 16px; background: var(--panel); border-radius: 6px; color: var(--soft); }
.ink-admitted { color: var(--admitted); } .ink-rejected { color: var(--rejected); } .ink-expired { color: var(--expired); }
.ink-late { color: var(--late); } .ink-slots { color: var(--slots); } .ink-busy { color: var(--busy); } .ink-age { color: var(--age); }
.ink-limit { color: var(--limit); } .ink-band { color: var(--band); } .ink-burst { color: var(--burst); } .ink-soft { color: var(--soft); }
.ink-run0 { color: var(--run0); } .ink-run1 { color: var(--run1); } .ink-run2 { color: var(--run2); }
.ink-run3 { color: var(--run3); } .ink-run4 { color: var(--run4); } .ink-run5 { color: var(--run5); }
.facts { margin: 0 0 10px; display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 36px; }
.facts div { display: flex; justify-content: space-between; gap: 16px; padding: 5px 0; border-bottom: 1px solid var(--line); }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; text-align: right; min-width: 0; overflow-wrap: anywhere; }
details { margin: 0 0 12px; }
summary { cursor: pointer; padding: 4px 0; }
details pre { margin-top: 6px; font-size: 12.5px; max-height: 480px; overflow: auto; }
.pages { list-style: none; padding: 0; margin: 0; }
.pages li { padding: 14px 0; border-bottom: 1px solid var(--line); }
.pages a { font-size: 17px; font-weight: 650; }
.pages p { margin: 2px 0 0; }
.words dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 16px; margin: 8px 0 0; font-size: 14px; max-width: 86ch; }
.words dt { font-weight: 650; }
.words dd { margin: 0; color: var(--soft); }
footer { margin-top: 44px; padding-top: 12px; border-top: 1px solid var(--line); color: var(--soft); font-size: 13px; }
.tip { position: fixed; z-index: 9; pointer-events: none; white-space: pre; padding: 7px 10px; border-radius: 5px; background: var(--ink); color: var(--paper); font-size: 13px; line-height: 1.45; max-width: 92vw; }
.tip[hidden] { display: none; }
.scroll + .scroll { margin-top: 28px; }
@media screen and (min-width: 641px) {
  .scroll { overflow-x: auto; }
}
@media (max-width: 860px) {
  .charts { grid-template-columns: minmax(0, 1fr); }
  .tables > .half { grid-column: span 2; }
  .facts { grid-template-columns: minmax(0, 1fr); }
}
@media (max-width: 640px) {
  body { padding: 16px 16px 40px; }
  h1 { font-size: 22px; }
  .steps { grid-template-columns: minmax(0, 1fr); gap: 2px; }
  .steps dd { margin-bottom: 8px; }
  .words dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .words dd { margin-bottom: 6px; }
  .wide, .wide caption, .wide tbody { display: block; }
  .wide thead { display: none; }
  .wide tr { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 20px; padding: 8px 0; border-bottom: 1px solid var(--line); }
  .wide th, .wide td { display: grid; grid-template-columns: minmax(min-content, 1fr) fit-content(75%); align-content: start; gap: 0 8px; border: 0; padding: 1px 0; }
  .wide th { display: block; grid-column: span 2; font-weight: 650; }
  .wide th small { font-weight: normal; }
  .wide td::before { content: attr(data-label); color: var(--soft); font-size: 13px; text-align: left; padding-top: 1px; }
  .wide .beyond, .wide .spread { grid-column: 1 / -1; text-align: right; }
  .facts div { flex-wrap: wrap; gap: 0 16px; }
}
@media (max-width: 360px) {
  .wide tr { grid-template-columns: minmax(0, 1fr); }
  .wide th { grid-column: auto; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 11pt; }
  pre { border: 1px solid var(--line); }
  details pre { max-height: none; }
  section, figure, table { break-inside: avoid; }
  .tip { display: none; }
}
`;
