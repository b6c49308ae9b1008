/** Whom a live run drives, and whether it may. */

import type { Schedule } from '../arrivals/schedule.ts';
import { type Address, reachableAddress } from '../engine/live/address.ts';
import { type EndpointUrls, endpointUrls, isLoopback } from '../engine/live/endpoint-url.ts';
import { preflight } from '../engine/live/preflight.ts';
import { createWire } from '../engine/live/wire.ts';
import { UserError } from '../errors.ts';
import type { Scenario } from '../scenario/types.ts';
import { sFromUs } from '../units.ts';
import { unlessInterrupted } from './signals.ts';

export interface TargetOptions {
  /** Base URL of any OpenAI-compatible endpoint. */
  readonly endpoint: string;
  readonly model: string | undefined;
  readonly apiKey: string | undefined;
  readonly timeScale: number;
  readonly ca: string | undefined;
  readonly insecure: boolean;
  /** Consent to send to a machine that is not this one. */
  readonly yes: boolean;
  readonly maxRequests: number;
  readonly maxTokens: number;
  /** Settings that are played one after the other; 1 unless given. */
  readonly plays?: number;
  /** Aborted: the look is given up. */
  readonly signal?: AbortSignal | undefined;
}

/** An endpoint that has answered. */
export interface Target {
  readonly urls: EndpointUrls;
  readonly address: Address;
  readonly model: string;
  readonly isStub: boolean;
  readonly askUsage: boolean;
  readonly notes: readonly string[];
}

/**
 * Looks at an endpoint before a run.
 * @param say told the URL and what will be sent, before anything is
 * @throws UserError: unreachable, no completions there, no key, no model, no consent, interrupted
 */
export async function findTarget(
  options: TargetOptions,
  scenario: Scenario,
  schedule: Schedule,
  say: (text: string) => void,
): Promise<Target> {
  const urls = endpointUrls(options.endpoint);
  say(`endpoint: POST ${urls.shown}`);
  sayBill(options, bill(options, scenario, schedule), urls, say);
  const { ca, insecure, apiKey, model, timeScale, signal } = options;
  const address = await unlessInterrupted(signal, reachableAddress(urls.origin, signal));
  const wire = createWire({ origin: urls.origin, address, ca, insecure });
  try {
    const found = await unlessInterrupted(signal, preflight(wire, { urls, apiKey, model }));
    checkTimeScale(timeScale, found, urls);
    return { urls, address, ...found, notes: notesOf(found.notes, insecure) };
  } finally {
    await wire.close();
  }
}

/**
 * The origin as the gate shall call it: `localhost` by the one of its addresses that answered, so
 * that no connection of the run tries the other first.
 */
export function reachableOrigin({ urls, address }: Pick<Target, 'urls' | 'address'>): string {
  const url = new URL(urls.origin);
  if (url.hostname !== 'localhost' || url.protocol !== 'http:') return urls.origin;
  url.hostname = address.family === 6 ? `[${address.host}]` : address.host;
  return url.origin;
}

function notesOf(notes: readonly string[], insecure: boolean): string[] {
  return insecure ? [...notes, 'certificates were not checked (--insecure)'] : [...notes];
}

/**
 * Two clocks that run at different speeds measure nothing.
 * @throws UserError where the scale of a run is not that of its endpoint
 */
function checkTimeScale(
  timeScale: number,
  found: { readonly isStub: boolean; readonly timeScale: number | null },
  { origin }: EndpointUrls,
): void {
  if (!found.isStub && timeScale !== 1) {
    throw new UserError(
      `--time-scale: expected 1 for an endpoint that is not a stub, got ${timeScale}`,
    );
  }
  if (found.timeScale !== null && found.timeScale !== timeScale) {
    throw new UserError(
      `--time-scale: expected ${found.timeScale}, the scale of the stub at ${origin}, got ${timeScale}`,
    );
  }
}

/** What the run would send at most, in a line. */
export function bill(
  { maxRequests, timeScale, plays = 1 }: Pick<TargetOptions, 'maxRequests' | 'timeScale' | 'plays'>,
  scenario: Scenario,
  { arrivals }: Schedule,
): string {
  const sent = arrivals.slice(0, Math.min(arrivals.length, maxRequests));
  const perS = arrivals.length / scenario.durationS / timeScale;
  const isCut = sent.length < arrivals.length;
  const wallS = timeScale * (isCut ? sFromUs(sent.at(-1)?.atUs ?? 0) : scenario.durationS);
  const tokensIn = sent.reduce((sum, { demand }) => sum + demand.inTokens, 0);
  const tokensOut = sent.reduce((sum, { demand }) => sum + demand.outTokens, 0);
  const retries = Object.values(scenario.classes).some(({ retry }) => retry.max > 0);
  const what = [
    `${sent.length} requests${retries ? ' and their retries' : ''} over ${spanText(wallS)}`,
    `(${Number(perS.toPrecision(3))}/s), about ${tokensIn} prompt tokens,`,
    `at most ${tokensOut} output tokens`,
  ].join(' ');
  return plays === 1 ? what : `${plays} times ${what}`;
}

/** `45 s`, `5 min` */
function spanText(wallS: number): string {
  return wallS < 90
    ? `${Number(wallS.toPrecision(2))} s`
    : `${Number((wallS / 60).toPrecision(2))} min`;
}

/** Said of every endpoint; one that is not this machine needs consent. @throws UserError without it */
function sayBill(
  { yes, maxTokens }: TargetOptions,
  what: string,
  { origin }: EndpointUrls,
  say: (text: string) => void,
): void {
  const limit = Number.isFinite(maxTokens) ? `, ending at ${maxTokens} tokens` : '';
  say(`this sends ${what}${limit} to ${origin}`);
  if (yes || isLoopback(origin)) return;
  throw new UserError(`${origin} is not this machine; expected --yes to send it ${what}`);
}
