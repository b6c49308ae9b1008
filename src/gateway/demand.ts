/** Prompt tokens in `x-loadline-demand`, which our generator sends to our stub; 0 where unknown. */
export function promptTokensOf(demand: string | undefined): number {
  const found = /(?:^|;)in=(\d{1,9})(?:;|$)/.exec(demand ?? '');
  return found === null ? 0 : Number(found[1]);
}
