/**
 * What a request line asks for, as a path with its query (RFC 9112, 3.2): an absolute address is
 * taken for its path, whatever its host. `*` stays: it asks the server itself, and only OPTIONS may.
 * @returns undefined where it is none of these
 */
export function originForm(target: string, method: string): string | undefined {
  if (target.startsWith('/')) return target;
  if (target === '*') return method === 'OPTIONS' ? target : undefined;
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return undefined;
  const { pathname, search } = new URL(target);
  return pathname + search;
}
