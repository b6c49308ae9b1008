/** The names that script, summary and import have in common. */
export const METRICS = {
  /** 1 for each request that is about to be sent. */
  sent: 'loadline_sent',
  /** 1 for each request that has ended; all that is known of it stands in the metadata. */
  requests: 'loadline_requests',
  latenessMs: 'loadline_lateness_ms',
  queueAgeMs: 'loadline_queue_age_ms',
  waitMs: 'loadline_wait_ms',
  responseMs: 'loadline_response_ms',
  serviceMs: 'loadline_service_ms',
  refusalMs: 'loadline_refusal_ms',
  breach: 'loadline_breach',
  goodput: 'loadline_goodput',
  turnedAway: 'loadline_turned_away',
  tokensIn: 'loadline_tokens_in',
  tokensOut: 'loadline_tokens_out',
} as const;

/** Tags of every point: which schedule it is of. */
export const SCHEDULE_TAG = 'loadline_schedule';

/** Every way in which a request of k6 can end; retries, kills by hand and hang-ups are the live engine's. */
export const OUTCOMES = [
  'undecided',
  'rejected',
  'completed',
  'failed',
  'expired',
  'killed',
] as const;
export type K6Outcome = (typeof OUTCOMES)[number];

/** What the metadata of a point of `loadline_requests` says. Instants are whole microseconds of the run. */
export interface Facts {
  readonly seq: number;
  readonly sentUs: number;
  /** Of the response's headers; -1: none came. */
  readonly firstByteUs: number;
  readonly endUs: number;
  readonly status: number;
  readonly outcome: K6Outcome;
  /** Empty where it went well. */
  readonly code: string;
  /** As the gate says them; -1: no gate spoke. */
  readonly queueAgeUs: number;
  readonly waitUs: number;
  readonly inTokens: number;
  readonly outTokens: number;
}

const FACT_NAMES: readonly (keyof Facts)[] = [
  'seq',
  'sentUs',
  'firstByteUs',
  'endUs',
  'status',
  'outcome',
  'code',
  'queueAgeUs',
  'waitUs',
  'inTokens',
  'outTokens',
];

/** One text, so that no fact of the request before can stay behind. */
export function encodeFacts(facts: Facts): string {
  return FACT_NAMES.map((name) => String(facts[name])).join(' ');
}

/** undefined: not what `encodeFacts` writes. */
export function decodeFacts(text: string): Facts | undefined {
  const words = text.split(' ');
  if (words.length !== FACT_NAMES.length) return undefined;
  const facts: Record<string, number | string> = {};
  for (const [place, name] of FACT_NAMES.entries()) {
    const word = words[place] ?? '';
    facts[name] = name === 'outcome' || name === 'code' ? word : Number(word);
    if (Number.isNaN(facts[name])) return undefined;
  }
  const known = OUTCOMES.some((each) => each === facts['outcome']);
  return known ? (facts as unknown as Facts) : undefined;
}
