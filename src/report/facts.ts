import { numberOf } from '../result/figure.ts';
import type { LossSplit, Result } from '../result/types.ts';
import { figure } from './figure.ts';
import { decimal, list, percent, setNumber, setSeconds, short } from './format.ts';
import { type Html, html, type Part } from './html.ts';
import { rulesOn } from './rules-on.ts';

/** Where the figures come from, in a word that cannot be missed. */
export function badges(results: readonly Result[]): Html {
  const names = new Set(results.map(badgeOf));
  return html`<p class="badges">${[...names].map((name) => html`<strong class="badge">${name}</strong> `)}</p>`;
}

function badgeOf({ environment, engine }: Result): string {
  if (environment.target === 'stub') return 'STUB';
  if (environment.target === 'endpoint') return 'ENDPOINT';
  return engine === 'sim' ? 'SIMULATED' : 'IMPORTED';
}

/** What follows from that for whoever wants to carry a number to production. */
export function provenance(result: Result): string {
  const { environment, engine } = result;
  const { endpoint, model } = environment;
  if (environment.target === 'stub') {
    return 'The server was a stub: its service times are those of the scenario. No threshold for production follows from it before the model is calibrated on your own endpoint.';
  }
  if (environment.target === 'endpoint') {
    const whose = `${endpoint ?? 'an endpoint'}${model === null ? '' : `, model ${model}`}`;
    return `Measured at ${whose}${environment.direct ? ', without a gateway between' : ''}.`;
  }
  return engine === 'sim'
    ? 'Played in virtual time: its service times are those of the scenario. Not verified live.'
    : 'Imported from the records of another tool.';
}

/** The gate in one line: the values that the figures hold for. */
export function gateLine({ scenario }: Result): string {
  const { gate } = scenario.resolved;
  const on = rulesOn(gate).map(({ text }) => text);
  const mode = gate.mode === 'enforce' ? '' : `, mode ${gate.mode}`;
  return `${gate.slots} slots, ${on.length === 0 ? 'no rule' : on.join(', ')}${mode}`;
}

const LOSSES: readonly (readonly [keyof LossSplit, string])[] = [
  ['threshold', 'the threshold'],
  ['capacity', 'missing capacity'],
  ['holds', 'holds'],
  ['retries', 'retries'],
  ['upstream', 'preempts and slow-downs of the upstream'],
];

/** A threshold can hide missing capacity: what is lost to which comes before every other figure. */
export function lossLine(result: Result): Html {
  const { lossSplit, rates, environment } = result;
  if (lossSplit === null) {
    const goodput = numberOf(rates.goodput);
    if (goodput === null || goodput >= 1) return html``;
    return html`<p class="loss">Lost: ${percent(1 - goodput)} of offered. How much of it is the threshold and how much missing capacity has not been worked out for this run: ${environment.notes.length > 0 && 'see its notes, or '}ask <code>loadline tune</code>.</p>`;
  }
  return html`<p class="loss">Lost, of offered: ${lossParts(lossSplit, result)}.</p>`;
}

/** With which the gate gives up what it had let in. */
const RESTART_CODES = ['task_age', 'preempt_budget', 'restart_tokens'] as const;

/** The parts of the loss, each a share of offered. */
function lossParts(lossSplit: LossSplit, { failedBy }: Result): Html {
  // Restart rules give work up that is let in: no threshold at the door, but the gate's doing too.
  const ofRestarts = RESTART_CODES.some((code) => (numberOf(failedBy[code] ?? null) ?? 0) > 0);
  const word = (name: string, what: string) =>
    name === 'threshold' && ofRestarts ? 'the rules of the gate' : what;
  const parts = LOSSES.filter(([name]) => numberOf(lossSplit[name]) !== null);
  return html`${parts.map(([name, what], i) => html`${i > 0 && ', '}to ${word(name, what)} ${figure(lossSplit[name], percent)}`)}`;
}

/** Whether the generator kept its schedule. */
export function healthSection({ health, engine }: Result): Html {
  const { latenessMs, peakPer100ms, eventLoopP99Ms, gapScv } = health;
  const rows: [string, Part][] = [
    ['status', health.status],
    [
      'rate asked and achieved',
      `${short(health.requestedRate)} and ${short(health.achievedRate)} per s`,
    ],
    ['most in 100 ms, intended and sent', `${peakPer100ms.intended} and ${peakPer100ms.sent}`],
    ['sent late, p50, p99 and max', latenessMs === null ? exact(engine) : latenessText(latenessMs)],
  ];
  if (eventLoopP99Ms !== null)
    rows.push(['event loop delay, p99', `${decimal(eventLoopP99Ms, 1)} ms`]);
  if (gapScv !== null) {
    const { intended, achieved } = gapScv;
    rows.push([
      'scv of the gaps (1: Poisson), intended and achieved',
      `${decimal(intended, 2)} and ${decimal(achieved, 2)}`,
    ]);
  }
  return html`<section><h2>Was the run sound?</h2>${facts(rows)}${health.notes.length > 0 && html`<ul>${health.notes.map((note) => html`<li>${note}</li>`)}</ul>`}</section>`;
}

function exact(engine: Result['engine']): string {
  return engine === 'sim' ? 'never: virtual time' : 'not measured';
}

function latenessText({ p50, p99, max }: { p50: number; p99: number; max: number }): string {
  return `${list([p50, p99, max].map((each) => decimal(each, 1)))} ms`;
}

export function facts(rows: readonly (readonly [string, Part])[]): Html {
  return html`<dl class="facts">${rows.map(([name, what]) => html`<div><dt>${name}</dt><dd>${what}</dd></div>`)}</dl>`;
}

/** The scenario that was run: the reason for its threshold in full, the rest folded away. */
export function scenarioSection(result: Result): Html {
  const { resolved, digest, name } = result.scenario;
  const { rationale } = resolved.gate;
  return html`<section><h2>The scenario</h2>
${resolved.description !== '' && html`<p>${resolved.description}.</p>`}
<p>Gate: ${gateLine(result)}. SLO ${setSeconds(resolved.sloS)}, ${setSeconds(resolved.durationS)} of arrivals.</p>
<p>Why this threshold: ${rationale ?? 'the scenario gives no reason for it.'}</p>
<details><summary>All values of <code>${name}</code>, as resolved</summary><pre><code>${JSON.stringify(resolved, null, 2)}</code></pre></details>
${facts([['scenario', html`<code>${digest}</code>`]])}</section>`;
}

/** What a reader needs to repeat the run. */
export function environmentSection(result: Result): Html {
  const { environment, schedule, seed, replications, timeScale, engine } = result;
  const rows: [string, Part][] = [
    ['engine', engine],
    ['seed', seed],
    ['replications', replications],
    ['time scale', setNumber(timeScale)],
    ['arrivals of the schedule', `${schedule.count}, ${short(schedule.ratePerS)} per s`],
    ['schedule', html`<code>${schedule.digest}</code>`],
    ['loadline', environment.loadline],
  ];
  if (environment.node !== null) rows.push(['Node.js', environment.node]);
  if (environment.cpus !== null) rows.push(['processors', environment.cpus]);
  if (environment.startedAt !== null) rows.push(['started', environment.startedAt]);
  if (environment.endpoint !== null) rows.push(['endpoint', environment.endpoint]);
  if (environment.model !== null) rows.push(['model', environment.model]);
  const notes = environment.notes;
  return html`<section><h2>How to repeat it</h2>${facts(rows)}${notes.length > 0 && html`<ul>${notes.map((note) => html`<li>${note}</li>`)}</ul>`}</section>`;
}

/** Said where replications stand behind the figures. */
export function replicationNote({ replications, seed }: Result): Html {
  if (replications < 2) return html``;
  return html`<p class="note">Figures are means of ${replications} runs; below each stand its 95 % interval and the band that holds 95 % of the single runs. Shares of counts are ratios of means. Charts over time show the first run, seed ${seed}.</p>`;
}
