/** From what people paste as the address of an endpoint to the one URL that is called. */
import { UserError } from '../../errors.ts';

const COMPLETIONS = '/chat/completions';
/** The end of a path that already names a version: `/v1`, `/api/v1`, `/v1beta`, `/v1beta/openai`, `/v10`. */
const VERSIONED = /\/v\d+[a-z0-9]*(\/openai)?$/i;
/** Azure's deployments have no version in their path: it stands in the query. */
const DEPLOYMENT = /\/deployments\/[^/]+$/;

export interface EndpointUrls {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query of `POST …/chat/completions`. */
  readonly completionsPath: string;
  /** Path and query of `GET …/models`. */
  readonly modelsPath: string;
  /** What is called, in full; a query's values are left out, they may be secrets. */
  readonly shown: string;
}

/**
 * The URLs of an OpenAI-compatible endpoint from its base in any of the usual forms: with or
 * without `/v1`, a slash at the end, the whole path, a query. `/v10` and `/av1` are left as they are.
 * @throws UserError where it is no http URL, or carries a password
 */
export function endpointUrls(text: string): EndpointUrls {
  const url = parsed(text);
  const given = url.pathname.replace(/\/{2,}/g, '/').replace(/\/$/, '');
  const base = versioned(
    given.endsWith(COMPLETIONS) ? given.slice(0, -COMPLETIONS.length) : given,
    given,
  );
  return {
    origin: url.origin,
    completionsPath: `${base}${COMPLETIONS}${url.search}`,
    modelsPath: `${base}/models${url.search}`,
    shown: `${url.origin}${base}${COMPLETIONS}${url.search === '' ? '' : '?…'}`,
  };
}

/** A path that was given to its end is believed; one that names no version gets `/v1`. */
function versioned(base: string, given: string): string {
  if (given.endsWith(COMPLETIONS) || VERSIONED.test(base) || DEPLOYMENT.test(base)) return base;
  return base === '' || /\/(api|openai)$/.test(base) ? `${base}/v1` : base;
}

function parsed(text: string): URL {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text.trim())
    ? text.trim()
    : `http://${text.trim()}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    throw new UserError(`--endpoint: expected an http or https URL, got ${shortened(text)}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UserError('--endpoint: expected no user or password in the URL; set OPENAI_API_KEY');
  }
  return url;
}

function shortened(text: string): string {
  return JSON.stringify(text.replace(/\/\/[^/@]*@/, '//…@').slice(0, 80));
}

/** Whether an origin is this machine, where nothing that is sent can cost anybody anything. */
export function isLoopback(origin: string): boolean {
  const { hostname } = new URL(origin);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
