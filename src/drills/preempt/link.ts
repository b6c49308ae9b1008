/** A wire on loopback that can be cut and mended, to stand between two parts. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface Link {
  /** Where the near end listens; what comes goes on to this port. */
  to(port: number): Promise<number>;
  /** Resets every connection, and takes none. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
}

export async function openLink(): Promise<Link> {
  const sockets = new Set<Socket>();
  let farPort = 0;
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;

  function join(near: Socket): void {
    const far = connect(farPort, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }

  async function listen(at: number): Promise<Server> {
    const listener = createServer(join);
    listener.listen(at, '127.0.0.1');
    await once(listener, 'listening');
    return listener;
  }

  async function cut(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.resetAndDestroy();
    await closed;
  }

  return {
    to(next) {
      farPort = next;
      return Promise.resolve(port);
    },
    cut,
    async mend() {
      server = await listen(port);
    },
    close: cut,
  };
}
