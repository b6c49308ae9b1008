import type { Result } from '../result/types.ts';
import { list, setNumber } from './format.ts';
import { type Html, html } from './html.ts';

type Verdict = Result['verdicts'][number];

/** The actions that the evidence supports, the first as the page's headline. */
export function adviceOf(result: Result): Html {
  const [first, ...others] = result.verdicts;
  if (first === undefined) return html``;
  return html`${verdict(first, 'first')}${others.map((each) => verdict(each, 'other'))}`;
}

function verdict(of: Verdict, rank: 'first' | 'other'): Html {
  const text = headlineOf(of);
  const head = rank === 'first' ? html`<h1>${text}</h1>` : html`<h2>${text}</h2>`;
  return html`<section class="verdict ${rank}">
${head}
<p class="evidence">${kept(of.evidence)}</p>
${steps(of)}
</section>`;
}

/** What stands in brackets at its end says how far to trust it, and is set apart. */
function headlineOf({ headline }: Verdict): Html {
  const text = arrows(headline);
  const [, order, basis] = /^(.*?)\s*\[([^[\]]+)\]$/.exec(text) ?? [];
  if (order === undefined || basis === undefined) return html`${text}`;
  return html`${order} <span class="basis">${basis}</span>`;
}

/** An arrow of two signs would be torn apart at the end of a line. */
function arrows(text: string): string {
  return text.replaceAll(' -> ', '\u00a0\u2192\u00a0');
}

/** A number and its unit stay on one line; what stands in backticks is code. */
function kept(text: string): Html {
  const whole = arrows(text).replace(/(\d) (?=(%|s|slots)(?![\w]))/g, '$1\u00a0');
  const parts = whole.split('`');
  return html`${parts.map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
}

function steps({ first = '', commands, expect, wrongIf, undo }: Verdict): Html {
  const rows: [string, Html | false][] = [
    ['First', first !== '' && html`${kept(first)}`],
    ['Do', commands.length > 0 && commandsOf(commands)],
    ['Expect', expect !== '' && html`${kept(expect)}`],
    ['Wrong if', wrongIf !== '' && html`${kept(wrongIf)}`],
    ['Undo', undo !== '' && (looksLikeCommand(undo) ? commandsOf([undo]) : html`${undo}`)],
  ];
  const shown = rows.filter(([, what]) => what !== false);
  if (shown.length === 0) return html``;
  return html`<dl class="steps">${shown.map(([name, what]) => html`<dt>${name}</dt><dd>${what}</dd>`)}</dl>`;
}

function commandsOf(commands: readonly string[]): Html {
  return html`<pre><code>${commands.join('\n')}</code></pre>`;
}

function looksLikeCommand(text: string): boolean {
  return /^(curl|npx|loadline|make) |^GATEWAY=/.test(text);
}

/** All that is said of a run that cannot be trusted: that, why, and how to run it again. */
export function untrusted(results: readonly Result[]): Html {
  const names = results.map((result) => `${result.scenario.name} (seed ${result.seed})`);
  return html`<section class="verdict first">
<h1>Do not use this run. The generator did not apply the load that was asked for.</h1>
<p class="evidence">${list(names)}: no figure, chart or advice is shown, because they would describe another load.</p>
<dl class="steps">
<dt>Why</dt><dd><ul>${results.flatMap((each) => each.health.notes.map((note) => html`<li>${note}</li>`))}</ul></dd>
<dt>Rerun</dt><dd><pre><code>${results.map(rerunCommand).join('\n')}</code></pre></dd>
<dt>If it recurs</dt><dd>Free the machine of other work, give the generator a machine of its own, or ask for a lower rate.</dd>
</dl>
</section>`;
}

/**
 * The same run as it was asked for, with time less compressed where the generator could not keep up
 * with it: an interruption is cured by nothing but another run.
 */
export function rerunCommand(result: Result): string {
  const { engine, scenario, seed, timeScale, environment, replications, health } = result;
  const isSimulated = engine === 'sim';
  const asked = environment.asked ?? { scenario: scenario.name, variables: {}, words: [] };
  const variables = Object.entries(asked.variables).map(([name, of]) => `${name}=${shellWord(of)}`);
  const words = [...variables, 'npx loadline', isSimulated ? 'sim' : 'bench'];
  if (asked.scenario !== null) words.push(shellWord(asked.scenario));
  words.push(`--seed ${seed}`, ...asked.words.map(shellWord));
  if (environment.endpoint !== null && environment.target === 'endpoint') {
    words.push(`--endpoint ${shellWord(environment.endpoint)}`);
    if (environment.model !== null) words.push(`--model ${shellWord(environment.model)}`);
  }
  if (environment.direct) words.push('--direct');
  if (isSimulated && replications > 1) words.push(`--replications ${replications}`);
  const isLimited = health.status === 'generator-limited';
  const slower = isLimited ? Math.min(1, 2 * timeScale) : timeScale;
  if (timeScale < 1) words.push(`--time-scale ${setNumber(slower)}`);
  return words.join(' ');
}

/** Quoted where a shell would read it as anything but one word. */
function shellWord(text: string): string {
  return /^[\w./:@-][\w./:@=,+%-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
