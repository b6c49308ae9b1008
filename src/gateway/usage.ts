/** What an answer says that it cost; undefined where it does not say. */
export interface Usage {
  readonly promptTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

/** The usage of an OpenAI-compatible answer, found without parsing the answer. */
export function usageIn(text: string): Usage {
  const from = text.lastIndexOf('"usage"');
  const usage = from === -1 ? '' : text.slice(from);
  return {
    promptTokens: numberAfter(usage, /"prompt_tokens"\s*:\s*(\d{1,12})/),
    outputTokens: numberAfter(usage, /"completion_tokens"\s*:\s*(\d{1,12})/),
  };
}

function numberAfter(text: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(text);
  return found === null ? undefined : Number(found[1]);
}
