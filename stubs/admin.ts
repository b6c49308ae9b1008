import type { FastifyInstance } from 'fastify';
import { UserError } from '../src/errors.ts';
import { modelConfig } from '../src/scenario/machines.ts';
import { parseScenario } from '../src/scenario/schema.ts';
import { parseFault } from './faults.ts';
import type { Site } from './site.ts';

function asObject(body: unknown): Readonly<Record<string, unknown>> {
  if (body === undefined || body === null) return {};
  if (typeof body === 'object' && !Array.isArray(body)) return { ...body };
  throw new UserError('body: expected a JSON object');
}

/** New fields of `scenario.model` hold from now on; they pass the same schema as any scenario. */
function configure(site: Site, body: unknown): void {
  const model = { ...site.scenario.model, ...asObject(body) };
  site.scenario = parseScenario({ ...site.scenario, model });
  site.driver.configure(modelConfig(site.scenario));
}

/** Takes the slot of the request with this `seq`, or of all. */
function preempt(site: Site, body: unknown): number {
  const { seq } = asObject(body);
  const before = site.driver.inService;
  const id = typeof seq === 'number' ? site.bySeq.get(seq) : undefined;
  if (seq !== undefined && id === undefined) throw new UserError(`seq: no request ${String(seq)}`);
  site.driver.preempt(id);
  return before - site.driver.inService;
}

/** Time 0, a fresh model and the first draws again. */
function restart(site: Site): void {
  const open = site.driver.inService + site.driver.waiting;
  if (open > 0) throw new UserError(`expected an idle model, got ${open} requests at it`);
  site.driver.restart();
  site.work.restart();
}

/** What a drill or a test may change while the stub runs. */
export function addAdminRoutes(app: FastifyInstance, site: Site): void {
  app.get('/admin/config', () => ({ model: site.scenario.model }));
  app.post('/admin/config', ({ body }) => {
    configure(site, body);
    return { model: site.scenario.model };
  });
  app.post('/admin/preempt', ({ body }) => ({ preempted: preempt(site, body) }));
  app.get('/admin/fault', () => site.faults.current);
  app.post('/admin/fault', ({ body }) => {
    site.faults.set(parseFault(body));
    return site.faults.current;
  });
  app.post('/admin/restart', () => {
    restart(site);
    return { restarted: true };
  });
}
