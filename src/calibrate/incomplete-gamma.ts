import { gammaln } from 'simple-statistics';

const STEPS = 500;
const ENOUGH = 1e-12;

/**
 * P(a, x), the regularised lower incomplete gamma function: the distribution function of a gamma
 * variable of shape a and scale 1. Series below a + 1, continued fraction above (Abramowitz and
 * Stegun 6.5.29 and 6.5.31).
 */
export function incompleteGamma(a: number, x: number): number {
  if (x <= 0) return 0;
  const front = Math.exp(a * Math.log(x) - x - gammaln(a));
  return x < a + 1 ? front * series(a, x) : 1 - front * fraction(a, x);
}

function series(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; n < STEPS && term > sum * ENOUGH; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

/** By Lentz's method. */
function fraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1 / Number.MIN_VALUE;
  let d = 1 / b;
  let h = d;
  for (let n = 1; n < STEPS; n++) {
    const an = -n * (n - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= d * c;
    if (Math.abs(d * c - 1) < ENOUGH) break;
  }
  return h;
}
