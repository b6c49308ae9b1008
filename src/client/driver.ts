import type { Request } from './request.ts';
import type { HangUp, Outcome } from './types.ts';

/**
 * Whom the crowd tells what its callers do, at once. By then its own state is whole: the driver may
 * call it again from within. `atUs` is when it was due.
 */
export interface ClientDriver {
  /** Make the attempt that `request` is at. */
  send(request: Request, atUs: number): void;
  /** End the attempt in flight; `settled` follows. */
  hangUp(request: Request, why: HangUp, atUs: number): void;
  settled(request: Request, outcome: Outcome, atUs: number): void;
}
