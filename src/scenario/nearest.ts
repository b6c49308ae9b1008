/** Edit distance (Levenshtein), counting a change of case as nothing. */
function distance(left: string, right: string): number {
  const a = left.toLowerCase();
  const b = right.toLowerCase();
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The word that was probably meant, or undefined where none is near (a third of its length away). */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, away: distance(word, candidate) }))
    .sort((a, b) => a.away - b.away);
  const best = ranked[0];
  if (best === undefined) return undefined;
  const limit = Math.max(2, Math.ceil(Math.max(word.length, best.candidate.length) / 3));
  return best.away <= limit ? best.candidate : undefined;
}

/** `; did you mean ageRejectS?`, or what there is where nothing is near. */
export function suggestion(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  if (near !== undefined) return `; did you mean ${near}?`;
  return known.length === 0 ? '' : `; known: ${known.join(', ')}`;
}
