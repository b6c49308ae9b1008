import { connect } from 'node:net';

/** Between two looks at an upstream that could not be reached. */
const PROBE_EVERY_MS = 250;
const PROBE_TIMEOUT_MS = 1_000;

/** Watches an upstream that is down until it takes connections again. */
export interface Probe {
  /** Starts to look; `onBack` is called once. Nothing where it looks already. */
  start(onBack: () => void): void;
  stop(): void;
}

/** @param port of the upstream, on `host` (IPv6 without brackets) */
export function createProbe(host: string, port: number): Probe {
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  const look = (onBack: () => void) => {
    const socket = connect({ host, port, timeout: PROBE_TIMEOUT_MS });
    const settle = (up: boolean) => {
      socket.destroy();
      if (!running) return;
      if (up) {
        running = false;
        onBack();
      } else {
        timer = setTimeout(look, PROBE_EVERY_MS, onBack);
        timer.unref();
      }
    };
    socket.once('connect', () => settle(true));
    socket.once('timeout', () => settle(false));
    socket.once('error', () => settle(false));
    socket.unref();
  };
  return {
    start(onBack) {
      if (running) return;
      running = true;
      timer = setTimeout(look, PROBE_EVERY_MS, onBack);
      timer.unref();
    },
    stop() {
      running = false;
      clearTimeout(timer);
    },
  };
}
