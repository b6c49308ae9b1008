import { UserError } from '../errors.ts';
import { openLedger } from '../ledger/codec.ts';

/**
 * The gate's clock minus that of the sender, in microseconds, where nobody measured it during the
 * run: the least that lay between a send and its arrival at the gate, over all requests. It is late
 * by the fastest way over the wire.
 * @throws UserError where ledger and run have no request in common
 */
export async function gateOffsetUs(
  path: string,
  sentUs: ReadonlyMap<number, number>,
): Promise<number> {
  const { lines } = await openLedger('gate', path);
  let least = Number.POSITIVE_INFINITY;
  for await (const { line } of lines) {
    if (!('in' in line) || line.in.type !== 'arrive' || line.in.attempt !== 0) continue;
    const sent = sentUs.get(line.in.seq);
    if (sent !== undefined) least = Math.min(least, line.t - sent);
  }
  if (Number.isFinite(least)) return Math.round(least);
  throw new UserError(`${path}: expected the gate's ledger of this run, got no request in common`);
}
