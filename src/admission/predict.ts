import type { Leases } from './leases.ts';
import type { ClassState } from './ticket.ts';

/**
 * The wait that a newcomer would meet: the leases run for what is expected to be left of them, and
 * everyone of the same or a higher priority who already waits takes the slot that comes free first.
 * @param classes by priority, the highest first
 * @returns microseconds; 0 with a free slot, Infinity with no slots at all
 */
export function predictWaitUs(
  leases: Leases,
  classes: readonly ClassState[],
  slots: number,
  priority: number,
  nowUs: number,
): number {
  if (leases.count < slots) return 0;
  const freeInUs = slotsFreeInUs(leases, slots, nowUs);
  for (const ahead of classes) {
    if (ahead.rules.priority < priority) break;
    const serviceUs = ahead.expected.typicalUs();
    for (let n = ahead.queue.size; n > 0; n--) delayFirst(freeInUs, serviceUs);
  }
  return freeInUs[0] ?? Infinity;
}

/** When each slot comes free, soonest first. Where slots were taken away, the first to end free none. */
function slotsFreeInUs(leases: Leases, slots: number, nowUs: number): Float64Array {
  const freeInUs = new Float64Array(leases.count);
  let n = 0;
  for (const list of [leases.batch, leases.interactive]) {
    for (let lease = list.head; lease !== undefined; lease = lease.after) {
      freeInUs[n++] = lease.of.expected.remainingUs(nowUs - lease.sinceUs);
    }
  }
  return freeInUs.sort().subarray(n - slots);
}

/** The soonest slot serves one more. The array stays a binary heap, as a sorted one is. */
function delayFirst(heap: Float64Array, serviceUs: number): void {
  const value = (heap[0] ?? 0) + serviceUs;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if ((heap[child + 1] ?? Infinity) < (heap[child] ?? Infinity)) child++;
    const childValue = heap[child];
    if (childValue === undefined || childValue >= value) break;
    heap[at] = childValue;
    at = child;
  }
  if (heap.length > 0) heap[at] = value;
}
