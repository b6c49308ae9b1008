/**
 * What this process is in the middle of writing: gone with it, whether it ends by itself, by a
 * fault, or by a signal, which without a listener would skip all that is left to do.
 */
import { rmSync } from 'node:fs';
import { END_SIGNALS } from './signals.ts';

const unfinished = new Set<string>();
let isListening = false;

/** From now on a file or folder goes with this process. */
export function beginUnfinished(path: string): void {
  unfinished.add(path);
  if (isListening) return;
  isListening = true;
  process.on('exit', removeUnfinished);
  for (const signal of END_SIGNALS) process.on(signal, endBySignal);
}

/** It is whole, or gone. */
export function endUnfinished(path: string): void {
  unfinished.delete(path);
  // A signal that came while files were written is heard within a whole turn of the event loop.
  if (unfinished.size === 0) setImmediate(() => setImmediate(letGo));
}

function letGo(): void {
  if (unfinished.size > 0 || !isListening) return;
  isListening = false;
  process.off('exit', removeUnfinished);
  for (const signal of END_SIGNALS) process.off(signal, endBySignal);
}

function removeUnfinished(): void {
  for (const path of unfinished) rmSync(path, { recursive: true, force: true });
}

/** Where nobody else listens to it, a signal ends us as it would have; a run that listens goes on. */
function endBySignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  removeUnfinished();
  process.off(signal, endBySignal);
  process.kill(process.pid, signal);
}
