/** Where an origin leads, found out once before a run: no name is looked up, and no address family tried in vain, while it is measured. */
import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { UserError } from '../../errors.ts';

export interface Address {
  readonly host: string;
  readonly family: 4 | 6;
}

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * The first address of an origin that takes connections.
 * @param signal aborted: no connection is waited for
 * @throws UserError with exit code 1: unknown name, or nobody listens (naming every address tried)
 */
export async function reachableAddress(origin: string, signal?: AbortSignal): Promise<Address> {
  const { hostname, port, protocol } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, '');
  const portNumber = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
  const refused: string[] = [];
  for (const address of await addressesOf(host, origin)) {
    const failure = await tryConnect(address, portNumber, signal);
    if (failure === undefined) return address;
    refused.push(`${failure} on ${address.host}`);
  }
  throw new UserError(`${origin}: expected an endpoint that listens, got ${refused.join(', ')}`, 1);
}

async function addressesOf(host: string, origin: string): Promise<Address[]> {
  try {
    const found = await lookup(host, { all: true, order: 'verbatim' });
    return found.map(({ address, family }) => ({ host: address, family: family === 6 ? 6 : 4 }));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'an error';
    throw new UserError(`${origin}: expected a host that can be found, got ${code}`, 1);
  }
}

/** What went wrong, or undefined. */
function tryConnect(
  { host, family }: Address,
  port: number,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve('an interruption');
      return;
    }
    const socket = connect({ host, family, port, timeout: CONNECT_TIMEOUT_MS });
    const settle = (failure: string | undefined) => {
      socket.destroy();
      signal?.removeEventListener('abort', stop);
      resolve(failure);
    };
    const stop = () => settle('an interruption');
    signal?.addEventListener('abort', stop, { once: true });
    socket.once('connect', () => settle(undefined));
    socket.once('timeout', () => settle('no answer'));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
  });
}
