import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Exchange } from './exchange.ts';

/**
 * Requests whose answer is not with their caller yet. Their slots may be free: who reads slowly has
 * bytes to come after the upstream has said its last.
 */
export class Unanswered {
  private readonly open = new Set<Exchange>();
  private readonly waiters: (() => void)[] = [];

  add(exchange: Exchange, response: ServerResponse): void {
    this.open.add(exchange);
    response.once('close', () => this.delete(exchange));
  }

  /** An answer that a pipelining client has not come to yet hears nothing of the end of its connection. */
  closed(socket: Socket): void {
    for (const exchange of this.open) if (exchange.isOn(socket)) this.delete(exchange);
  }

  private delete(exchange: Exchange): void {
    this.open.delete(exchange);
    if (this.atGate === 0) for (const resolve of this.waiters.splice(0)) resolve();
  }

  /** Those that the gate has heard of: whoever still sends its request has been promised nothing. */
  get atGate(): number {
    return [...this.open].filter(({ id }) => id >= 0).length;
  }

  /** Resolves when none of them is left. */
  none(): Promise<void> {
    if (this.atGate === 0) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push(resolve));
  }
}
