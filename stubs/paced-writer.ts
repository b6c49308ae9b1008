import type { ServerResponse } from 'node:http';

/** Writes a long text piece by piece, each when the socket has taken the one before. */
const PIECE = 64 * 1024;

/**
 * Ends an answer with this text. A caller that does not read holds it back here, in one string,
 * and not in the socket's buffers piled on top of it.
 */
export function endPaced(response: ServerResponse, text: string, from = 0): void {
  let at = from;
  while (text.length - at > PIECE) {
    const more = response.write(text.slice(at, at + PIECE));
    at += PIECE;
    if (!more) {
      response.once('drain', () => endPaced(response, text, at));
      return;
    }
  }
  response.end(text.slice(at));
}
