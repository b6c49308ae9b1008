/** Greatest distance between the empirical distribution function of ascending values and `cdf`. */
export function kolmogorovSmirnov(ascending: Float64Array, cdf: (x: number) => number): number {
  const n = ascending.length;
  let greatest = 0;
  for (const [i, x] of ascending.entries()) {
    const at = cdf(x);
    greatest = Math.max(greatest, at - i / n, (i + 1) / n - at);
  }
  return greatest;
}

/** P(D >= d) by Kolmogorov's limit with the correction of Stephens (1970), good from n = 5. */
export function kolmogorovP(d: number, n: number): number {
  const root = Math.sqrt(n);
  const lambda = (root + 0.12 + 0.11 / root) * d;
  if (lambda < 0.2) return 1;
  let sum = 0;
  for (let k = 1; k <= 100; k++) {
    sum += 2 * (k % 2 === 1 ? 1 : -1) * Math.exp(-2 * k * k * lambda * lambda);
  }
  return Math.min(1, Math.max(0, sum));
}
