import { usFromS } from '../units.ts';

const MEMORY_US = usFromS(60);
const MOST_CALLERS = 100;

/** Interactive callers that tried again within the last minute of scenario time, and how often. */
export class RecentRetries {
  private readonly callers = new Map<string, { readonly retries: number; readonly atUs: number }>();

  note(name: string, retries: number, atUs: number): void {
    this.callers.delete(name);
    this.callers.set(name, { retries, atUs });
    if (this.callers.size <= MOST_CALLERS) return;
    for (const oldest of this.callers.keys()) {
      this.callers.delete(oldest);
      return;
    }
  }

  since(nowUs: number): { readonly name: string; readonly retries: number }[] {
    return [...this.callers]
      .filter(([, { atUs }]) => nowUs - atUs <= MEMORY_US)
      .map(([name, { retries }]) => ({ name, retries }));
  }
}
