import { type Html, html } from './html.ts';

/** What the pages call things, in the order in which a reader meets them. */
const WORDS: readonly (readonly [string, RegExp, string])[] = [
  ['goodput', /\bgoodput\b/i, 'served within the SLO, as a share of all that was offered'],
  ['turned away', /\bturned away\b/i, 'rejected at the door, or expired in the queue'],
  ['late', /\blate\b/i, 'missed the SLO, as a share of those that were served'],
  [
    'holds',
    /\bholds\b|\bheld\b/i,
    'slots that their callers keep while nothing computes: the answer is there, and nobody reads on. Of a check: it holds, or it fails',
  ],
  [
    'kept',
    /\bkept\b/i,
    'how long the turned away waited until they were told so; kept p95: all but one in twenty were told by then',
  ],
  [
    'beyond',
    /\bbeyond\b/i,
    'how many values lie above that percentile; with three or fewer it is an anecdote',
  ],
  [
    'scv',
    /\bscv\b/i,
    'squared coefficient of variation, the variance over the squared mean: 0 is a clock, 1 are random (Poisson) gaps, more come in bursts',
  ],
  [
    'queue age',
    /\bqueue age\b/i,
    'how long the oldest waiting request has waited; 0 where none does',
  ],
  [
    'slack',
    /\bslack\b/i,
    'the deadline, less the age of the oldest waiting batch request and the compute that it needs',
  ],
  ['slots leased', /\bslots leased\b/i, 'given out, whether or not anything computes in them'],
  [
    'busy',
    /\bbusy\b|\bCPU\b/,
    'computing at the upstream, as a share of the slots; a verdict calls it upstream CPU. Full slots with low busy are held, not worked on',
  ],
  ['censored', /\bcensored\b/i, 'still in flight when the run ended: its end is not known'],
  ['undecided', /\bundecided\b/i, 'broke off before the gate had decided'],
  [
    'runs a to b',
    /\bruns [\d.\u2212-]+ to\b/,
    'where 95 % of single runs lie; above it stands the 95 % interval of their mean',
  ],
  ['cliff', /\bcliff\b/i, 'the setting from which on it costs more than 1 % of offered'],
  [
    'floor',
    /\bfloors?\b/i,
    'the share of its own goodput that every class and size has to keep; a setting below it is not recommended',
  ],
  [
    'unserved',
    /\bunserved\b/i,
    'turned away, failed or given up, as a share of what was offered: neither in time nor late',
  ],
  [
    'regret',
    /\bregret\b/i,
    'how much worse a setting is than the best that was tried, as a share of what was offered',
  ],
  ['BUY', /\bBUY\b/, 'how many slots serve the load, where no threshold can'],
  [
    'work offered',
    /\bwork offered\b/i,
    'service time that arrives, over what the slots can give in the same time; above 1 some of it must be turned away or wait',
  ],
  [
    'FAILS',
    /\bFAILS\b/,
    'under the change of the load that is named the setting no longer keeps what was asked of it, such as the share that may be late',
  ],
  [
    'open loop',
    /\bopen (loop|load)\b/i,
    'requests are sent at their instants, whether or not the last was answered; in a closed loop each connection waits for its answer',
  ],
  ['knee', /\bknee\b/i, 'the number of connections beyond which throughput hardly grows'],
  [
    'KS',
    /\bKS\b/,
    'the greatest distance between what was measured and the fitted distribution: 0 is a perfect fit',
  ],
  ['preempt', /\bpreempts?\b/i, 'a slot that is taken back in the middle of its work'],
];

/** The words of a page that need one, folded away at its end; nothing where none occurs. */
export function wordsOf(page: Html): Html {
  const text = page.html
    .replace(/<(svg|script|pre)\b[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]+>/g, ' ');
  const plain = text.replaceAll('\u00a0', ' ');
  const used = WORDS.filter(([, pattern]) => pattern.test(plain));
  if (used.length === 0) return html``;
  return html`<section class="words"><details><summary>Words on this page</summary><dl>${used.map(([word, , meaning]) => html`<dt>${word}</dt><dd>${meaning}.</dd>\n`)}</dl></details></section>`;
}
