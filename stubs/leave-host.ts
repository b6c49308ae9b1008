import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const SWEEP_EVERY_MS = 20;

/** The connections of a server that are open. */
export function socketsOf(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/**
 * A host that is taken back: from now on it listens no more and keeps no idle connection; what is
 * in flight may end until the notice is over, then every connection that is left is reset.
 * @param noticeMs wall time; 0: nothing is waited for, and nothing is reset here
 */
export async function leaveHost(
  server: Server,
  sockets: ReadonlySet<Socket>,
  noticeMs: number,
): Promise<void> {
  if (noticeMs <= 0 || !server.listening) return;
  const empty = new Promise<void>((resolve) => server.close(() => resolve()));
  // An answer that ends in the meantime leaves a connection behind, on which nothing new may come.
  const sweeper = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY_MS);
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, noticeMs);
  });
  await Promise.race([empty, over]);
  clearTimeout(timer);
  clearInterval(sweeper);
  for (const socket of sockets) socket.resetAndDestroy();
}
