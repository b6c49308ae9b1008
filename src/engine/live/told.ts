/**
 * The bytes of an endpoint as they may be said and written: whatever of them goes into an error, a
 * ledger or a page goes through here.
 */
import { printable } from '../../errors.ts';

const SHOWN_CHARACTERS = 200;
/** Of a web page: enough to know whose it is. */
const PAGE_CHARACTERS = 60;

/**
 * Its first words in one line, without the key: a server may repeat what it was sent.
 * @param key what authorized the request; undefined: nothing
 */
export function told(text: string, key: string | undefined): string {
  return excerpt(text, key, SHOWN_CHARACTERS);
}

/** The title of a web page, or its first words; undefined where it is none. */
export function pageTold(
  text: string,
  contentType: string,
  key: string | undefined,
): string | undefined {
  const isPage = contentType.startsWith('text/html') || /^\s*<(!doctype html|html)\b/i.test(text);
  if (!isPage) return undefined;
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1]?.trim() ?? '';
  const words = text
    .replace(/<(script|style|head)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replace(/<[^>]*>?/g, ' ');
  return excerpt(title === '' ? words : title, key, PAGE_CHARACTERS);
}

/** The key goes before the text is cut: half of a key is not found. */
function excerpt(text: string, key: string | undefined, characters: number): string {
  const struck = key === undefined || key === '' ? text : text.replaceAll(key, '…');
  return printable(struck.replace(/\s+/g, ' ').trim()).slice(0, characters);
}
