/**
 * Runbook 003's roll-back, live: the gate's rules off in mid run (ADMIT_ALWAYS), then the gate
 * itself taken away and the same traffic sent direct.
 */
import { type LiveRunEnd, type RunningRun, runLive } from '../../commands/live-run.ts';
import { withVerdicts } from '../../commands/run-facts.ts';
import { newRunPath, openRunFolder } from '../../commands/run-folder.ts';
import { NO_LIMITS } from '../../engine/live/breaker.ts';
import { numberOf } from '../../result/figure.ts';
import type { Result } from '../../result/types.ts';
import { resolveScenario } from '../../scenario/resolve.ts';
import type { Scenario } from '../../scenario/types.ts';
import { usFromS } from '../../units.ts';
import { type DrillOptions, type Step, step } from '../drill.ts';
import { Operator } from '../lease-hold/operator.ts';
import { isAlive, reachedBeyond } from '../loopback.ts';
import { burst } from './measure.ts';

/** The runbook's overload for two minutes, on an endpoint that has the four workers itself. */
const SETS = ['durationS=120', 'arrivals.bursts=[]', 'model.slots=4'];
const OFF_AT_S = 60;
const TIME_SCALE = 0.05;
const POLL_MS = 5;

export interface RolledBack {
  readonly steps: readonly Step[];
  readonly result: Result;
  readonly schedule: LiveRunEnd['schedule'];
  readonly page: string;
}

export async function rollBack(options: DrillOptions): Promise<RolledBack> {
  const scenario = await burst(
    ...SETS,
    ...(options.seed === undefined ? [] : [`seed=${options.seed}`]),
  );
  const out = options.out ?? newRunPath('drill-admission');
  const pids: number[] = [];
  const steps: Step[] = [variableBypasses()];
  const gated = await play(scenario, out, options, pids, async (run) => {
    steps.push(...(await admitAlways(run)), stayedInside(run));
  });
  const direct = await play(scenario, `${out}-direct`, { ...options, direct: true }, pids);
  steps.push(...withoutGate(gated, direct), nothingLeft(pids));
  return { steps, ...gated };
}

type Played = Omit<RolledBack, 'steps'>;

async function play(
  scenario: Scenario,
  out: string,
  options: DrillOptions & { readonly direct?: boolean },
  pids: number[],
  aside: (run: RunningRun) => Promise<void> = async () => {},
): Promise<Played> {
  const folder = openRunFolder(out, options.force);
  const timeScale = options.timeScale ?? TIME_SCALE;
  options.say(options.direct === true ? 'live, without the gate' : 'live, through the gate');
  try {
    const { result: bare, schedule } = await runLive(scenario, {
      folder,
      timeScale,
      direct: options.direct ?? false,
      limits: NO_LIMITS,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      meanwhile: async (run) => {
        for (const part of [run.parts.stub, run.parts.gateway]) if (part) pids.push(part.pid);
        await aside(run);
      },
    });
    const result = withVerdicts(bare, schedule);
    return { result, schedule, page: await folder.finish(result, schedule) };
  } finally {
    folder.abandon();
  }
}

function variableBypasses(): Step {
  const { gate } = resolveScenario({
    input: {},
    env: { ADMIT_ALWAYS: '1' },
    flags: {},
    sets: ['arrivals.ratePerS=1'],
  });
  return step(
    'ADMIT_ALWAYS=1 in the environment is mode admit-always',
    gate.mode === 'admit-always',
    gate.mode,
  );
}

async function admitAlways(run: RunningRun): Promise<Step[]> {
  const operator = new Operator(run.gatewayUrl ?? '');
  while (run.nowUs() < usFromS(OFF_AT_S)) await pause();
  const before = run.progress().turnedAway;
  const { status } = await operator.put('/admin/policy', { mode: 'admit-always' });
  const settledS = OFF_AT_S + 5;
  while (run.nowUs() < usFromS(settledS)) await pause();
  const atFlip = run.progress().turnedAway;
  while (run.nowUs() < usFromS(115)) await pause();
  const depth = (await operator.metric('loadline_queue_depth')) ?? 0;
  await run.ended;
  const after = run.progress().turnedAway;
  return [
    step('before: the gate refuses', before > 0, `${before} refused by t = ${OFF_AT_S}`),
    step('step 1: rules off, without a restart', status === 200, `PUT /admin/policy ${status}`),
    step('from then on nobody is refused', after === atFlip, `${after - atFlip} refused`),
    step('and the queue grows past what the depth rule allowed', depth > 8, `${depth} wait`),
  ];
}

function withoutGate(gated: Played, direct: Played): Step[] {
  const { outcomes } = direct.result;
  const count = (name: keyof typeof outcomes) => numberOf(outcomes[name]) ?? 0;
  const refused = count('rejected') + count('expired');
  return [
    step(
      'step 2: the gate taken away, the same traffic goes direct',
      gated.result.schedule.digest === direct.result.schedule.digest &&
        direct.result.environment.direct,
      `${count('offered')} requests, the same schedule`,
    ),
    step(
      'the old behaviour is back: none refused, all served, most of them late',
      refused === 0 && count('completed') === count('offered') && count('sloBreached') > 0,
      `${refused} refused, ${count('completed')} served, ${count('sloBreached')} late`,
    ),
  ];
}

function stayedInside({ parts }: RunningRun): Step {
  const pids = [process.pid, parts.stub?.pid, parts.gateway?.pid].filter(
    (pid) => pid !== undefined,
  );
  const beyond = reachedBeyond(pids);
  const seen = beyond === null ? 'this system does not say' : `${beyond.length} connections beyond`;
  return step('nothing has reached out of loopback', (beyond ?? []).length === 0, seen);
}

function nothingLeft(pids: readonly number[]): Step {
  const alive = pids.filter(isAlive);
  return step('nothing is left running', alive.length === 0, `${pids.length} processes ended`);
}

function pause(): Promise<void> {
  return new Promise((wake) => setTimeout(wake, POLL_MS));
}
