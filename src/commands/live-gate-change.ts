/** A gate that runs on under another policy, and its one ledger cut into those of its settings. */
import { createReadStream } from 'node:fs';
import { request } from 'undici';
import { jsonOf } from '../engine/live/ask.ts';
import type { Part } from '../engine/live/child.ts';
import { UserError } from '../errors.ts';
import { encodeLine, readLedger } from '../ledger/codec.ts';
import type { GateLine } from '../ledger/lines.ts';
import { policyOf } from '../scenario/machines.ts';
import type { Gate, Scenario } from '../scenario/types.ts';
import type { LiveParts } from './live-parts.ts';

const TIMEOUT_MS = 10_000;
/** What is left of a run that was cut off is gone within moments; wall time. */
const IDLE_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 20;

/**
 * Whether one gate may play all these scenarios one after the other: they differ in its policy
 * alone, and no rule remembers what came before the change. What the gate has learned of services
 * (`predictedWaitS`, deadline slack) and the progress that a kill waits for would be carried over.
 */
export function canShareGate(scenarios: readonly Scenario[]): boolean {
  const [first] = scenarios;
  if (first === undefined) return false;
  const besideGate = (scenario: Scenario) => JSON.stringify({ ...scenario, gate: null });
  const rest = besideGate(first);
  return scenarios.every((scenario) => besideGate(scenario) === rest && isForgetful(scenario));
}

function isForgetful({ gate, classes }: Scenario): boolean {
  const hasDeadline = Object.values(classes).some(({ deadlineS }) => deadlineS !== null);
  return gate.predictedWaitS === null && gate.killWindowS === null && !hasDeadline;
}

/**
 * Makes parts that are idle ready for the next setting: a stub of our own is at instant 0 again,
 * the gate has the policy of `gate`, whole.
 * @throws UserError where something is still in flight, or the gate does not take it
 */
export async function changeParts({ gateway, stub }: LiveParts, gate: Gate): Promise<void> {
  if (gateway === undefined) throw new Error('expected a gate to change');
  await untilIdle(gateway);
  if (stub !== undefined) await call(stub, 'POST', '/admin/restart', undefined);
  const { rationale: _text, ...policy } = gate;
  await call(gateway, 'PUT', '/admin/policy', policy);
}

async function untilIdle(gateway: Part): Promise<void> {
  const endMs = performance.now() + IDLE_WITHIN_MS;
  for (;;) {
    const state = await call(gateway, 'GET', '/admin/drain', undefined);
    if ((state as { empty?: unknown } | undefined)?.empty === true) return;
    if (performance.now() > endMs) {
      throw new UserError('gateway: expected it idle between two settings, got requests in it', 1);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

async function call(
  { name, port }: Part,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  value: unknown,
): Promise<unknown> {
  const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}`, {
    method,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    ...(value === undefined
      ? {}
      : { body: JSON.stringify(value), headers: { 'content-type': 'application/json' } }),
  });
  const text = await body.text();
  if (statusCode === 200) return jsonOf(text);
  throw new UserError(
    `${name}: expected ${method} ${path} to be done, got ${statusCode}, ${text}`,
    1,
  );
}

/**
 * Cuts the ledger of a gate that played several settings: each piece begins with the `configure`
 * that set every field, and its header says the policy that this gave, so that a piece replays
 * like the ledger of a gate of its own. The clock runs on; a run's offset takes it off.
 * @param path the whole ledger
 * @returns the text of each piece
 */
export async function cutGateLedger(
  path: string,
  scenarios: readonly Scenario[],
): Promise<string[]> {
  const { header, lines } = await readLedger('gate', createReadStream(path, 'utf8'), path);
  const pieces = scenarios.map(({ gate }) => [
    encodeLine<'gate'>({ ...header, config: { ...header.config, policy: policyOf(gate) } }),
  ]);
  let piece = -1;
  for await (const { line } of lines) {
    if (isWholeChange(line)) piece++;
    pieces[piece]?.push(encodeLine<'gate'>(line));
  }
  return pieces.map((texts) => texts.join(''));
}

/** The gate's own changes, such as of an upstream that is down, set one field. */
function isWholeChange(line: GateLine): boolean {
  if (!('in' in line) || line.in.type !== 'configure') return false;
  const { slots, mode, maxWaitUs } = line.in.policy;
  return slots !== undefined && mode !== undefined && maxWaitUs !== undefined;
}
