/** Beyond this power a few of the values would have all of the mean. */
const MOST_POWER = 8;
/** Less is a rounding. */
const LEAST_SCV = 1e-9;
/** Halvings of the range of powers: the variance is twice within a millionth. */
const HALVINGS = 30;

/**
 * A rising change of positive values after which they have the same mean and twice the variance: a
 * power and a factor, which make of a lognormal a lognormal. Values that are all alike stay, and so
 * do those of which no power up to 8 doubles it (half of them short, half long, and nothing between).
 */
export function spreadDoubled(values: readonly number[]): (value: number) => number {
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  const same = (value: number) => value;
  if (most === 0) return same;
  const wanted = 2 * scvOfPower(values, most, 1);
  if (wanted < LEAST_SCV || scvOfPower(values, most, MOST_POWER) < wanted) return same;
  let [low, high] = [1, MOST_POWER];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (scvOfPower(values, most, middle) < wanted) low = middle;
    else high = middle;
  }
  const factor = meanOfPower(values, most, 1) / meanOfPower(values, most, high);
  return (value) => most * factor * (value / most) ** high;
}

/** Of the values over the greatest, so that no power is too large for a number. */
function meanOfPower(values: readonly number[], most: number, power: number): number {
  return values.reduce((sum, value) => sum + (value / most) ** power, 0) / values.length;
}

function scvOfPower(values: readonly number[], most: number, power: number): number {
  return meanOfPower(values, most, 2 * power) / meanOfPower(values, most, power) ** 2 - 1;
}
