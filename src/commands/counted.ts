/** `1 line`, `2 lines`: how many there are, for a terminal. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}
