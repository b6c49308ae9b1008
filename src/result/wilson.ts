const Z = 1.959964;

/**
 * 95 % interval of a share of which `hits` of `n` were seen (Wilson 1927), 0 to 1.
 * @param hits 0 to n, a mean may be broken
 */
export function wilson95(hits: number, n: number): readonly [number, number] {
  if (n <= 0) return [0, 1];
  const share = hits / n;
  const weight = 1 + (Z * Z) / n;
  const middle = (share + (Z * Z) / (2 * n)) / weight;
  const half = (Z * Math.sqrt((share * (1 - share)) / n + (Z * Z) / (4 * n * n))) / weight;
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}
