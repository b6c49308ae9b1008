import type { Input as GateInput } from '../../admission/types.ts';
import type { Input as ModelInput } from '../../model/types.ts';
import { flightOf } from './flight.ts';
import type { World } from './world.ts';

/** `kill` goes by sequence number. */
export type GateOrder = Extract<GateInput, { type: 'configure' | 'drain' | 'kill' }>;
export type ModelOrder = Extract<ModelInput, { type: 'configure' }>;

/** Something that an operator, or a fault, does in the middle of a run. */
export type ScriptStep =
  | { readonly atUs: number; readonly to: 'gate'; readonly input: GateOrder }
  | { readonly atUs: number; readonly to: 'model'; readonly input: ModelOrder };

/** Does what a step of the script says. */
export function follow(step: ScriptStep, world: World, nowUs: number): void {
  if (step.to === 'gate') {
    orderGate(step.input, world, nowUs);
    world.watch.touchGate();
  } else {
    world.model.configure(step.input.config, nowUs);
    world.watch.touchModel();
  }
}

function orderGate(order: GateOrder, world: World, nowUs: number): void {
  if (order.type === 'kill') killBySeq(order.id, world, nowUs);
  else if (order.type === 'drain') world.gate?.configure({ mode: 'drain' }, nowUs);
  else world.gate?.configure(order.policy, nowUs);
}

function killBySeq(seq: number, { client, gate }: World, nowUs: number): void {
  const request = client.find(seq);
  const ticket = request && flightOf(request.wish).ticket;
  if (ticket?.leased) gate?.kill(ticket, nowUs);
}

/** Tells the gate what it may know of the work on its leases. */
export function reportProgress({ gate, model, watch }: World, nowUs: number): void {
  for (const ticket of gate?.leases() ?? []) {
    const { run } = flightOf(ticket.request);
    if (run === undefined || !ticket.leased) continue;
    gate?.progress(ticket, model.tokens(run, nowUs), nowUs);
    watch.touchGate();
  }
}
