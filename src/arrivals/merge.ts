/**
 * Visits the instants of several sorted lists in rising order; of equal ones the earlier list's
 * first. The lists are few (one a process), so the next is found by looking at each.
 */
export function mergeByTime(
  lists: readonly (readonly number[])[],
  visit: (list: number, index: number, atUs: number) => void,
): void {
  const heads = lists.map(() => 0);
  for (;;) {
    let first = -1;
    let firstUs = Number.POSITIVE_INFINITY;
    for (let list = 0; list < lists.length; list++) {
      const atUs = lists[list]?.[heads[list] ?? 0];
      if (atUs !== undefined && atUs < firstUs) {
        first = list;
        firstUs = atUs;
      }
    }
    if (first < 0) return;
    const index = heads[first] ?? 0;
    visit(first, index, firstUs);
    heads[first] = index + 1;
  }
}
