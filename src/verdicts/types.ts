/** An operational action with its evidence: what heads every page. */
export interface Verdict {
  readonly action:
    | 'untrusted'
    | 'do-not-scale'
    | 'reject-interactive'
    | 'shed-client'
    | 'kill-lease'
    | 'admit-interactive'
    | 'add-slots'
    | 'set-threshold'
    | 'keep-threshold'
    | 'leave-free-capacity'
    | 'find-cause'
    | 'no-action'
    | 'cannot-tell';
  /** The headline, an order in capitals where something is to be done: `KEEP maxWaitS 30. ADD SLOTS: 16 -> 24.` */
  readonly headline: string;
  /** The signal that fired: `deadline_slack_seconds`. */
  readonly signal: string;
  readonly value: number | null;
  readonly threshold: number | null;
  /** One line. */
  readonly evidence: string;
  /** In words: what must be done by hand before the commands. */
  readonly first?: string;
  /** To paste, each as it stands. */
  readonly commands: readonly string[];
  /** What happens when it is done. */
  readonly expect: string;
  /** What would prove it wrong. */
  readonly wrongIf: string;
  readonly undo: string;
}
