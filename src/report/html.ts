/** Text that is already HTML. Only `html` and `raw` make it, so that nothing gets onto a page unescaped by accident. */
export interface Html {
  readonly html: string;
}

/** What may stand in a template: text is escaped, nothing stands for itself. */
export type Part = Html | string | number | null | undefined | false | readonly Part[];

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A template whose values are escaped, in text and in quoted attributes. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  let text = strings[0] ?? '';
  for (const [i, value] of values.entries()) text += textOf(value) + (strings[i + 1] ?? '');
  return { html: text };
}

/** Trusts a text that is ours: styles, scripts, drawn charts. */
export function raw(text: string): Html {
  return { html: text };
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (found) => ENTITIES[found] ?? found);
}

/** The text that was escaped. */
export function unescapeHtml(escaped: string): string {
  return Object.entries(ENTITIES).reduceRight(
    (text, [sign, entity]) => text.replaceAll(entity, sign),
    escaped,
  );
}

function textOf(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (typeof part === 'string') return escapeHtml(part);
  if (typeof part === 'number') return String(part);
  if (isParts(part)) return part.map(textOf).join('');
  return part.html;
}

function isParts(part: Html | readonly Part[]): part is readonly Part[] {
  return Array.isArray(part);
}

/** JSON that may stand inside a script element. */
export function scriptJson(value: unknown): Html {
  return raw(
    JSON.stringify(value)
      .replace(/</g, '\\u003c')
      .replace(/\u2028|\u2029/g, ' '),
  );
}
