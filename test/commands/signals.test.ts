import { expect, it, onTestFinished, vi } from 'vitest';
import { interruptSignal } from '../../src/commands/signals.ts';

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('asks a run to end on %s', (signal) => {
  const interrupt = interruptSignal();
  onTestFinished(interrupt.release);
  process.emit(signal, signal);
  expect(interrupt.signal.aborted).toBe(true);
});

it('ends at once on a second signal, which the echo of a closing terminal is not', () => {
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  const interrupt = interruptSignal();
  onTestFinished(interrupt.release);
  process.emit('SIGHUP', 'SIGHUP');
  process.emit('SIGHUP', 'SIGHUP');
  expect(exit).not.toHaveBeenCalled();
  process.emit('SIGINT', 'SIGINT');
  expect(exit).toHaveBeenCalledWith(130);
  exit.mockRestore();
});
