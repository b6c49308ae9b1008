/** Runbook 001's failures over real sockets: a worker frozen and killed, its roll-back, and the two drills that it leaves open. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { newRunPath } from '../../commands/run-folder.ts';
import type { TaskEvent } from '../../ledger/runbook001.ts';
import type { Scenario } from '../../scenario/types.ts';
import { type DrillOptions, type Step, step } from '../drill.ts';
import { field } from '../lease-hold/operator.ts';
import { isAlive } from '../loopback.ts';
import { type Told, tell } from './caller.ts';
import { openLink } from './link.ts';
import { holdsWithin, Rig } from './rig.ts';

const TASKS = 6;
/** Of 20 ms: three seconds of work, with a checkpoint at each third. */
const TOKENS = 150;
/** Wall time after which a task is between its first checkpoint and its second. */
const PAST_CHECKPOINT_MS = 1_400;
const SETTLE_MS = 8_000;
const DISK_KB = 8;

export interface PlayedPreempts {
  readonly steps: readonly Step[];
  /** What was done when, in the order of the runbook. */
  readonly order: readonly string[];
  readonly folder: string;
}

/** About half a minute of wall time. */
export async function playPreempts(
  scenario: Scenario,
  { say, out, signal }: DrillOptions,
): Promise<PlayedPreempts> {
  const folder = out ?? newRunPath('drill-preempt');
  const pids: number[] = [];
  const steps: Step[] = [];
  const acts = {
    frozen: frozenThenKilled,
    'roll-back': rollBack,
    disk: diskFull,
    net: networkLoss,
  };
  let order: readonly string[] = [];
  for (const [name, act] of Object.entries(acts)) {
    if (signal?.aborted === true) break;
    say(`live: ${name}`);
    const played = await act(scenario, join(folder, name), pids);
    steps.push(...played.steps);
    order = played.order ?? order;
  }
  const left = pids.filter(isAlive);
  steps.push(step('nothing is left running', left.length === 0, `${pids.length} processes ended`));
  return { steps, order, folder };
}

interface Act {
  readonly steps: readonly Step[];
  readonly order?: readonly string[];
}

/** `kill -STOP`, two seconds, `kill -KILL`: the gate has to come to an end with every task. */
async function frozenThenKilled(scenario: Scenario, folder: string, pids: number[]): Promise<Act> {
  const rig = await Rig.start({ folder, scenario });
  try {
    const tasks = sendTasks(rig.url, 0);
    const begun = await leasesReach(rig, scenario.gate.slots);
    await pause(PAST_CHECKPOINT_MS);
    rig.freeze();
    const before = await tokensOf(rig);
    await pause(2_000);
    const after = await tokensOf(rig);
    const waits = (await rig.operator.metric('queue_age_ms')) ?? 0;
    rig.killStub();
    const told = await Promise.all(tasks);
    const idle = await leasesReach(rig, 0);
    const next = await tell(rig.url, 99, TOKENS);
    await rig.stop();
    return {
      steps: [
        step(
          'frozen (SIGSTOP): no token for two seconds, while the oldest queued task ages',
          begun && before === after && waits > 1_500,
          `${after} tokens then as before, queue age ${(waits / 1e3).toFixed(1)} s`,
        ),
        settled('killed (SIGKILL): every task comes to its end', told, idle),
        step(
          'a worker that is gone is 503 at once, not a place in a queue',
          next.status === 503 && next.reason === 'upstream_down',
          `${next.status} ${next.reason}`,
        ),
        await ledgerWhole(rig, TASKS + 1),
      ],
    };
  } finally {
    await rig.stop();
    pids.push(...rig.pids);
  }
}

/** The runbook's order: refuse new, end what is in flight, kill only after the drain, restore. */
async function rollBack(scenario: Scenario, folder: string, pids: number[]): Promise<Act> {
  const rig = await Rig.start({ folder, scenario });
  const order: string[] = [];
  const startMs = performance.now();
  const did = (what: string) =>
    order.push(`t = ${((performance.now() - startMs) / 1e3).toFixed(1)} s  ${what}`);
  try {
    const { operator } = rig;
    const { body: policy } = await operator.get('/admin/policy');
    const tasks = sendTasks(rig.url, 0);
    await leasesReach(rig, scenario.gate.slots);
    await pause(PAST_CHECKPOINT_MS);
    rig.freeze();
    did('the worker freezes');
    const refuse = await operator.put('/admin/policy', { mode: 'reject_preempt_budget' });
    const refused = await tell(rig.url, 50, TOKENS);
    did(`1 new work is refused: ${refused.status} ${refused.reason}`);
    const ended = await endLeases(rig, scenario.gate.slots);
    const told = await Promise.all(tasks);
    did(`2 in flight: ${ended} ended with a reason, what was checkpointed had been delivered`);
    const drained = await operator.post('/admin/drain');
    const empty = field(drained.body, 'empty') === true;
    did(`3 drained, empty: ${empty}`);
    const { pid } = rig.stub;
    const aliveAtDrain = isAlive(pid);
    rig.killStub();
    const gone = await holdsWithin(SETTLE_MS, () => !isAlive(pid));
    did('  and only then the worker is killed');
    await rig.replaceStub();
    const restored = await operator.put('/admin/policy', policyBack(policy));
    const served = await servedAgain(rig);
    did(`4 thresholds restored, a task is served: ${served.how}`);
    await rig.stop();
    const kept = told.filter(({ tokens }) => tokens > 0);
    return {
      order,
      steps: [
        step(
          'roll-back 1: new work is refused before any worker is touched',
          refuse.status === 200 && refused.status === 429 && refused.reason === 'preempt_budget',
          `${refused.status} ${refused.reason}`,
        ),
        settled(
          'roll-back 2: what is in flight is ended, or kept to its checkpoint',
          told,
          ended > 0,
        ),
        step(
          'what had passed a checkpoint was delivered, and nothing beyond it',
          kept.length > 0 &&
            kept.every(({ tokens }) => tokens % scenario.model.checkpointTokens === 0),
          `tokens delivered: ${told.map(({ tokens }) => tokens).join(' ')}`,
        ),
        step(
          'roll-back 3: killed only after the drain',
          empty && aliveAtDrain && gone,
          empty ? 'drained and empty, then killed' : 'it was not empty',
        ),
        step(
          'roll-back 4: the thresholds are as before, and work is served',
          JSON.stringify(restored.body) === JSON.stringify(policy) && served.how === 'done',
          `PUT /admin/policy ${restored.status}, then ${served.how}`,
        ),
        await ledgerWhole(rig, TASKS + 2),
      ],
    };
  } finally {
    await rig.stop();
    pids.push(...rig.pids);
  }
}

/** The ledger takes no more: nothing may be admitted that stands in no evidence. */
async function diskFull(scenario: Scenario, folder: string, pids: number[]): Promise<Act> {
  const rig = await Rig.start({ folder, scenario, fileLimitKb: DISK_KB });
  try {
    const told: Told[] = [];
    let full: Told | undefined;
    for (let seq = 0; seq < 200 && full === undefined; seq++) {
      const one = await tell(rig.url, seq, 1);
      told.push(one);
      if (one.reason === 'ledger_unwritable') full = one;
    }
    const more = await Promise.all([500, 501, 502].map((seq) => tell(rig.url, seq, 1)));
    const { status, body } = await rig.operator.get('/readyz');
    const { events, torn } = rig.events();
    const admitted = new Set(events.filter(({ event }) => event === 'admit').map((e) => e.task_id));
    const served = told.filter(({ how }) => how === 'done').length;
    await rig.stop();
    return {
      steps: [
        step(
          'disk full: admission stops, with 503 and a clear error, and stays stopped',
          full?.status === 503 && more.every(({ reason }) => reason === 'ledger_unwritable'),
          `after ${served} tasks: ${full?.status} ${full?.reason}`,
        ),
        step(
          '/readyz takes the gate out of rotation and says why',
          status === 503 && field(body, 'status') === 'ledger_unwritable',
          `${status} ${String(field(body, 'status'))}`,
        ),
        step(
          'no task was served that is not in the ledger',
          admitted.size >= served,
          `${served} served, ${admitted.size} admitted on record, ${torn} torn`,
        ),
      ],
    };
  } finally {
    await rig.stop();
    pids.push(...rig.pids);
  }
}

/** The wire between gate and worker is cut, then mended. */
async function networkLoss(scenario: Scenario, folder: string, pids: number[]): Promise<Act> {
  const link = await openLink();
  const rig = await Rig.start({ folder, scenario, between: (port) => link.to(port) });
  try {
    const tasks = sendTasks(rig.url, 0);
    await leasesReach(rig, scenario.gate.slots);
    await link.cut();
    const told = await Promise.all(tasks);
    const idle = await leasesReach(rig, 0);
    const down = await tell(rig.url, 50, TOKENS);
    await link.mend();
    const served = await servedAgain(rig);
    await rig.stop();
    return {
      steps: [
        settled('network loss: every task comes to its end', told, idle),
        step(
          'while it lasts, new work is 503',
          down.status === 503,
          `${down.status} ${down.reason}`,
        ),
        step('mended: the gate finds its worker by itself', served.how === 'done', served.how),
        await ledgerWhole(rig, TASKS + 2),
      ],
    };
  } finally {
    await rig.stop();
    await link.close();
    pids.push(...rig.pids);
  }
}

function sendTasks(url: string, from: number): Promise<Told>[] {
  return Array.from({ length: TASKS }, (_, i) => tell(url, from + i, TOKENS));
}

function leasesReach(rig: Rig, count: number): Promise<boolean> {
  return holdsWithin(
    SETTLE_MS,
    async () => (await rig.operator.metric('loadline_leases')) === count,
  );
}

async function leasesOf(rig: Rig): Promise<unknown[]> {
  const leases = field((await rig.operator.get('/admin/leases')).body, 'leases');
  return Array.isArray(leases) ? leases : [];
}

async function tokensOf(rig: Rig): Promise<number> {
  const leases = await leasesOf(rig);
  return leases.reduce<number>((sum, lease) => sum + Number(field(lease, 'tokens') ?? 0), 0);
}

/** Ends every lease until none is left: what waited gets the slots, and is ended too. */
async function endLeases(rig: Rig, atOnce: number): Promise<number> {
  let ended = 0;
  for (let round = 0; round < 1 + Math.ceil(TASKS / atOnce); round++) {
    for (const lease of await leasesOf(rig)) {
      const { status } = await rig.operator.delete(`/admin/leases/${String(field(lease, 'id'))}`);
      if (status === 200) ended++;
    }
  }
  return ended;
}

/** What `GET /admin/policy` showed, as `PUT` takes it. */
function policyBack(shown: unknown): unknown {
  return typeof shown === 'object' && shown !== null ? { ...shown, mode: 'enforce' } : {};
}

/** Once the gate has noticed; the last try where it has not. */
async function servedAgain(rig: Rig): Promise<Told> {
  let told = await tell(rig.url, 60, TOKENS);
  await holdsWithin(SETTLE_MS, async () => {
    if (told.how === 'done') return true;
    told = await tell(rig.url, 60, TOKENS);
    return false;
  });
  return told;
}

function settled(what: string, told: readonly Told[], idle: boolean): Step {
  const count = new Map<string, number>();
  for (const { how, reason } of told) {
    const name = reason === '' ? how : `${how} (${reason})`;
    count.set(name, (count.get(name) ?? 0) + 1);
  }
  const seen = [...count].map(([name, n]) => `${n} ${name}`).join(', ');
  const open = told.filter(({ how }) => how === 'forgotten' || how === 'cut off');
  return step(what, open.length === 0 && idle, seen);
}

const LAST: readonly TaskEvent['event'][] = ['complete', 'reject', 'drain'];

async function ledgerWhole(rig: Rig, atLeast: number): Promise<Step> {
  const { events, torn } = rig.events();
  const last = new Map(events.map((event) => [event.task_id, event.event]));
  const open = [...last.values()].filter((event) => !LAST.includes(event));
  const violations = await rig.violations();
  return step(
    'the ledger is whole: each task has its last event, and the laws hold on the replay',
    torn === 0 && open.length === 0 && violations.length === 0 && last.size >= atLeast - 1,
    `${last.size} tasks, ${open.length} open, ${torn} torn, ${violations.length} violations`,
  );
}
