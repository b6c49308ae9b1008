/** One caller of a drill: what became of its task, as it saw it. */
import { request } from 'undici';

/** Longer than any step of a drill: who waits so long has been forgotten. */
const FORGOTTEN_MS = 20_000;

export interface Told {
  readonly seq: number;
  /** `forgotten`: nothing came to an end. */
  readonly how: 'done' | 'refused' | 'error in stream' | 'cut off' | 'forgotten';
  readonly status: number;
  /** As the gate says it; '' where the task was done. */
  readonly reason: string;
  readonly tokens: number;
}

/** Sends a task of class `batch` and reads to its end. Never throws. */
export async function tell(url: string, seq: number, maxTokens: number): Promise<Told> {
  const signal = AbortSignal.timeout(FORGOTTEN_MS);
  const body = {
    model: 'loadline-stub',
    stream: true,
    max_tokens: maxTokens,
    messages: [{ role: 'user', content: 'Write the release notes.' }],
  };
  const nothing = { seq, status: 0, tokens: 0 };
  try {
    const answer = await request(`${url}/v1/chat/completions`, {
      method: 'POST',
      signal,
      headers: { 'content-type': 'application/json', 'x-loadline-seq': String(seq) },
      body: JSON.stringify(body),
    });
    const { statusCode: status } = answer;
    return { ...nothing, status, ...readText(status, await answer.body.text()) };
  } catch (error) {
    if (signal.aborted) return { ...nothing, how: 'forgotten', reason: '' };
    return { ...nothing, how: 'cut off', reason: (error as Error).message };
  }
}

function readText(status: number, text: string): Pick<Told, 'how' | 'reason' | 'tokens'> {
  // The chunk that opens a stream names the role and has no content.
  const tokens = text.match(/"content":"(?!")/g)?.length ?? 0;
  if (status >= 400) return { how: 'refused', reason: codeIn(text), tokens: 0 };
  if (text.includes('data: [DONE]')) return { how: 'done', reason: '', tokens };
  return {
    how: text.includes('"error"') ? 'error in stream' : 'cut off',
    reason: codeIn(text),
    tokens,
  };
}

function codeIn(text: string): string {
  return (
    /"code":"([a-z_]+)"/.exec(text)?.[1] ??
    /"error":"([a-z_]+)"/.exec(text)?.[1] ??
    text.slice(0, 40)
  );
}
