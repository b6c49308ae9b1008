/** How a limit that is counted in requests is shared out: each gate keeps its own. */
function shareOut(total: number, gates: number): number[] {
  const least = Math.floor(total / gates);
  const more = total - least * gates;
  return Array.from({ length: gates }, (_, i) => least + (i < more ? 1 : 0));
}

/** What each gate is told of a setting: a limit in requests is shared out, the smaller share for all. */
export function shareOf(path: string, value: unknown, gates: number | null): unknown {
  if (gates === null || typeof value !== 'number' || value === 0 || !isCount(path)) return value;
  return Math.max(1, Math.floor(value / gates));
}

/** Whether a path is a limit on requests at a time: those are shared out among gates. The tries of one request are not. */
export function isCount(path: string): boolean {
  return /^gate\.(slots|queueCapacity|interactiveCap)$/.test(path);
}

/**
 * Limits in total and in each gate.
 * @param counts limits by name, in requests; those in seconds are the same in every gate
 * @param gates null: nobody said
 */
export function perGateText(
  counts: Readonly<Record<string, number>>,
  gates: number | null,
): string {
  const entries = Object.entries(counts);
  if (gates === null) {
    const shares = entries.map(([name, total]) => `${total} / n ${name}`).join(', ');
    return `these numbers are of one process. How many gates, or workers, are there? --replicas n shares them out (${shares} in each)`;
  }
  if (gates === 1) return 'one process, as --replicas 1 says';
  const told = entries.map(
    ([name, total]) => `${name} ${total} in total, ${eachText(total, gates)}`,
  );
  return `${gates} processes: ${told.join('; ')}; seconds are the same in each. Apart they serve somewhat less than one gate with all the slots`;
}

function eachText(total: number, gates: number): string {
  if (total < gates) return `too few for one in each`;
  const shares = shareOut(total, gates);
  const [most = 0] = shares;
  const least = shares.at(-1) ?? 0;
  if (most === least) return `${most} in each`;
  const n = shares.filter((share) => share === most).length;
  return `${most} in ${n} of them and ${least} in ${gates - n}`;
}
