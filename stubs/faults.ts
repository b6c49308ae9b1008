/** Faults on the wire, as data: what the next requests meet instead of the model, or on top of it. */
import * as z from 'zod';
import { UserError } from '../src/errors.ts';
import { drawsAt, streamKey } from '../src/random.ts';

const faultSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  /** Accepted, never answered. */
  z.strictObject({ type: z.literal('hang'), requests: z.int().min(1).optional() }),
  /** TCP reset at arrival. */
  z.strictObject({ type: z.literal('reset'), requests: z.int().min(1).optional() }),
  /** This status and body at once; `{ref}` in the body is another for each. `share`: not to all, by chance. */
  z.strictObject({
    type: z.literal('status'),
    status: z.int().min(200).max(599),
    body: z.string().default('{"error":{"message":"a fault was asked for","code":"fault"}}'),
    contentType: z.string().default('application/json'),
    share: z.number().min(0).max(1).default(1),
    requests: z.int().min(1).optional(),
  }),
  /** 200 with a page, as a proxy in the way gives. */
  z.strictObject({ type: z.literal('html'), requests: z.int().min(1).optional() }),
  /** The connection is closed after so many tokens of a stream. */
  z.strictObject({
    type: z.literal('truncate'),
    afterTokens: z.int().min(0),
    requests: z.int().min(1).optional(),
  }),
  /** Service, and so the headers of a stream, begins this much scenario time late. */
  z.strictObject({
    type: z.literal('slow-headers'),
    delayS: z.number().min(0),
    requests: z.int().min(1).optional(),
  }),
]);

export type Fault = z.output<typeof faultSchema>;

/** Reads a fault. @throws UserError */
export function parseFault(input: unknown): Fault {
  const parsed = faultSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue?.path.join('.') || 'fault';
  throw new UserError(`${where}: ${issue?.message ?? 'not a fault'}`);
}

const CHANCE = streamKey(1, 'faults', '');

/** The fault that is set, spent by the requests that meet it. */
export class FaultBox {
  private fault: Fault = { type: 'none' };
  private left = Number.POSITIVE_INFINITY;
  private taken = 0;

  get current(): Fault {
    return this.fault;
  }

  set(fault: Fault): void {
    this.fault = fault;
    this.left = fault.type === 'none' ? 0 : (fault.requests ?? Number.POSITIVE_INFINITY);
  }

  /** What this request meets. */
  take(): Fault {
    const { fault } = this;
    if (fault.type === 'none') return fault;
    const draws = drawsAt(CHANCE, this.taken++);
    if (fault.type === 'status' && draws.uniform() >= fault.share) return { type: 'none' };
    this.left--;
    if (this.left <= 0) this.fault = { type: 'none' };
    if (fault.type !== 'status' || !fault.body.includes('{ref}')) return fault;
    const ref = Math.floor(draws.uniform() * 2 ** 48).toString(16);
    return { ...fault, body: fault.body.replaceAll('{ref}', ref.padStart(12, '0')) };
  }
}
