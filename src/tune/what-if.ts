/** Scenarios with one thing changed: counterfactuals of the loss split, and what a threshold must stand. */
import { meanS, tokensOf, varianceS2 } from '../scenario/distribution.ts';
import type {
  Arrivals,
  ClassSpec,
  Demand,
  Distribution,
  Scenario,
  TokenService,
} from '../scenario/types.ts';

type Service = Distribution | TokenService;

function withClasses(scenario: Scenario, change: (spec: ClassSpec) => ClassSpec): Scenario {
  const classes = Object.entries(scenario.classes).map(([name, spec]) => [name, change(spec)]);
  return { ...scenario, classes: Object.fromEntries(classes) };
}

/** Whether anybody keeps a slot until he goes. */
export function hasHolds({ classes }: Scenario): boolean {
  return Object.values(classes).some(({ hold }) => hold !== null);
}

/** How long a request of its class keeps its slot, as far as it depends on the request: it computes, or is held. */
export function slotUsOf({ serviceUs, holdUs }: Demand): number {
  return holdUs > 0 ? holdUs : serviceUs;
}

/**
 * Who holds a slot frees it when its own compute is done: what it computes in the time of its hold,
 * at its share of the slot, or the answer where that is less. Never later than the hold ends.
 * @param compute share of a slot that it uses, 0 to 1
 */
export function withoutHold(demand: Demand, compute: number): Demand {
  const { serviceUs, holdUs } = demand;
  if (holdUs === 0) return demand;
  const ownUs = Math.max(1, Math.round(holdUs * compute));
  return { ...demand, serviceUs: Math.min(serviceUs, ownUs), holdUs: 0 };
}

/*
 * A scenario in which there is nothing to change comes back as it is: it need not be played again.
 */

export function withoutRetries(scenario: Scenario): Scenario {
  if (Object.values(scenario.classes).every(({ retry }) => retry.max === 0)) return scenario;
  return withClasses(scenario, (spec) => ({ ...spec, retry: { ...spec.retry, max: 0 } }));
}

/** The endpoint neither takes work back nor slows down. */
export function withoutUpstreamFailures(scenario: Scenario): Scenario {
  const slowdown = { perRequest: 0, from: 0 };
  return { ...scenario, model: { ...scenario.model, preempts: { type: 'none' }, slowdown } };
}

/** Slots of the gate, and of the endpoint where it has a number of its own. */
export function withSlots(scenario: Scenario, slots: number): Scenario {
  const { gate, model } = scenario;
  const ofModel = model.slots === 0 ? 0 : Math.max(1, model.slots + slots - gate.slots);
  return { ...scenario, gate: { ...gate, slots }, model: { ...model, slots: ofModel } };
}

/** Whether the gate lets in more than the endpoint works on at a time: then the queue is inside it. */
export function queuesInside({ gate, model }: Scenario): boolean {
  return model.slots > 0 && model.slots < gate.slots;
}

/** Slots of the endpoint; of the gate no fewer. */
export function withEndpointSlots(scenario: Scenario, slots: number): Scenario {
  const { gate, model } = scenario;
  const ofGate = { ...gate, slots: Math.max(gate.slots, slots) };
  return { ...scenario, gate: ofGate, model: { ...model, slots } };
}

/** Every process of arrivals changed: the scenario's own, and those of single classes. */
export function withArrivals(
  scenario: Scenario,
  change: (arrivals: Arrivals) => Arrivals,
): Scenario {
  const of = (arrivals: Arrivals | null) => (arrivals === null ? null : change(arrivals));
  const changed = withClasses(scenario, (spec) => ({ ...spec, arrivals: of(spec.arrivals) }));
  return { ...changed, arrivals: of(scenario.arrivals) };
}

/** Every rate times a factor. */
export function withRate(scenario: Scenario, factor: number): Scenario {
  return withArrivals(scenario, (arrivals) => scaledArrivals(arrivals, factor));
}

export function scaledArrivals(arrivals: Arrivals, factor: number): Arrivals {
  switch (arrivals.process) {
    case 'at':
      return arrivals;
    case 'trace':
      return { ...arrivals, speed: arrivals.speed * factor };
    case 'ramp':
      return {
        ...arrivals,
        fromPerS: arrivals.fromPerS * factor,
        toPerS: arrivals.toPerS * factor,
      };
    default:
      return { ...arrivals, ratePerS: arrivals.ratePerS * factor };
  }
}

/** Every service distribution changed. */
export function withService(
  scenario: Scenario,
  change: (service: Service, spec: ClassSpec | undefined) => Service,
): Scenario {
  const [any] = Object.values(scenario.classes);
  const changed = withClasses(scenario, (spec) => ({
    ...spec,
    service: spec.service === null ? null : change(spec.service, spec),
  }));
  const service = change(scenario.model.service, any);
  return { ...changed, model: { ...scenario.model, service } };
}

export function scaledService(service: Service, factor: number): Service {
  if ('tokens' in service) {
    const { prefillPerS, gapS, overheadS } = service.tokens;
    return {
      tokens: {
        prefillPerS: prefillPerS / factor,
        gapS: gapS * factor,
        overheadS: overheadS * factor,
      },
    };
  }
  if ('fixed' in service) return { fixed: service.fixed * factor };
  if ('uniform' in service) {
    return { uniform: [service.uniform[0] * factor, service.uniform[1] * factor] };
  }
  if ('exponential' in service) return { exponential: service.exponential * factor };
  if ('lognormal' in service) {
    return { lognormal: { ...service.lognormal, mean: service.lognormal.mean * factor } };
  }
  if ('gamma' in service) return { gamma: { ...service.gamma, mean: service.gamma.mean * factor } };
  if ('bimodal' in service) {
    const { first, second } = service.bimodal;
    return { bimodal: { ...service.bimodal, first: first * factor, second: second * factor } };
  }
  return { empirical: service.empirical.map((value) => value * factor) };
}

/** The same mean, twice the variance, as a lognormal; what has no variance of its own stays. */
export function doubledVariance(service: Service, spec: ClassSpec | undefined): Service {
  const variance = varianceS2(service);
  if (variance === 0 || spec === undefined) return service;
  const mean = meanS(service, tokensOf(spec));
  return { lognormal: { mean, scv: (2 * variance) / mean ** 2 } };
}

/** Arrivals in clumps: gaps with twice the scv. Processes without one stay, and so do recorded instants. */
export function burstier(scenario: Scenario): Scenario {
  return withArrivals(scenario, (arrivals) => {
    if (arrivals.process === 'poisson') return { ...arrivals, process: 'gamma', burstiness: 0.5 };
    if (arrivals.process === 'gamma') {
      return { ...arrivals, burstiness: arrivals.burstiness / 2 };
    }
    return arrivals;
  });
}
