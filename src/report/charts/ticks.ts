/** At most seven round numbers from 0. */
export function roundTicks(end: number): number[] {
  const rough = end / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? end;
  const ticks: number[] = [];
  for (let i = 0; i * step <= end * (1 + 1e-9); i++) ticks.push(Number((i * step).toPrecision(6)));
  return ticks;
}
