/** The five faults that runbook 000 injects, its roll-back and its clean-up, each looked at. */
import type { RunningRun } from '../../commands/live-run.ts';
import { usFromS } from '../../units.ts';
import { type Step, step } from '../drill.ts';
import { reachedBeyond } from '../loopback.ts';
import { field, Operator, type Reply } from './operator.ts';

/** Scenario time that a prompt waits before its caller tries again. */
const PROMPT_TIMEOUT_S = 6;
const POLL_MS = 5;

export interface Rehearsal {
  readonly run: RunningRun;
  readonly timeScale: number;
  readonly mode: 'reject' | 'admit';
}

/** Plays the part of fault and operator beside a run; resolves when the pool is empty and drained. */
export async function rehearse({ run, timeScale, mode }: Rehearsal): Promise<Step[]> {
  const operator = new Operator(run.gatewayUrl ?? '');
  const at = (s: number) => until(run, s);
  const steps: Step[] = [];
  await at(60);
  steps.push(await sixJobsWait(operator));
  await at(185);
  steps.push(await heldFor180(operator));
  await at(195);
  steps.push(await promptTriedAgain(operator, timeScale));
  await at(300);
  steps.push(await gateSaysLeak(operator));
  steps.push(await slackCrosses(operator, at));
  if (mode === 'reject') steps.push(await refusedWithReason(operator));
  steps.push(stayedInside(run));
  await run.ended;
  return [...steps, ...(await rollBack(operator)), ...(await cleanUp(operator))];
}

/** Waits for an instant of scenario time, or for the end of the run. */
async function until(run: RunningRun, s: number): Promise<void> {
  let over = false;
  void run.ended.then(() => {
    over = true;
  });
  while (!over && run.nowUs() < usFromS(s)) await new Promise((wake) => setTimeout(wake, POLL_MS));
}

async function sixJobsWait(operator: Operator): Promise<Step> {
  const depth = await operator.metric('loadline_queue_depth');
  return step('fault 3: six batch jobs wait during the hold', depth === 6, `${depth} wait`);
}

async function heldFor180(operator: Operator): Promise<Step> {
  const { body } = await operator.get('/admin/leases');
  const leases = field(body, 'leases');
  const held = Array.isArray(leases)
    ? leases.find((lease) => field(lease, 'client') === 'dbg-1')
    : undefined;
  const heldS = Number(field(held, 'held_s') ?? 0);
  return step(
    'fault 1: one streaming client holds its slot for 180 s',
    heldS >= 175,
    `dbg-1 has held it for ${heldS.toFixed(0)} s`,
  );
}

/** "Retry the same debug prompt three times on timeout": the third retry is one too many. */
async function promptTriedAgain(operator: Operator, timeScale: number): Promise<Step> {
  const timeoutMs = PROMPT_TIMEOUT_S * timeScale * 1e3;
  let waited = 0;
  for (let attempt = 0; attempt < 3; attempt++) {
    const session = await operator.session('probe', 'retrier', { attempt, timeoutMs });
    if (session === undefined) waited++;
    session?.hangUp();
  }
  const last = await operator.session('probe', 'retrier', { attempt: 3 });
  last?.hangUp();
  const { body } = await operator.get('/admin/verdicts');
  const shed = actionsIn(body).includes('shed-client');
  const reason = String(field(last?.body, 'reason') ?? last?.status ?? 'nothing');
  return step(
    'fault 2: the same prompt is tried three times more on timeout, and then shed',
    waited === 3 && last?.status === 429 && shed,
    `${waited} tries timed out in the queue; the next: ${reason}`,
  );
}

async function gateSaysLeak(operator: Operator): Promise<Step> {
  const { body } = await operator.get('/admin/verdicts');
  const verdicts = field(body, 'verdicts');
  const [first] = Array.isArray(verdicts) ? verdicts : [];
  const headline = String(field(first, 'headline') ?? '');
  return step(
    '/admin/verdicts says so while it lasts: do not scale, and which sessions to end',
    /^DO NOT SCALE\. END SESSIONS dbg-1, dbg-2\./.test(headline),
    headline,
  );
}

async function slackCrosses(operator: Operator, at: (s: number) => Promise<void>): Promise<Step> {
  await at(360);
  const before = await operator.metric('deadline_slack_seconds');
  await at(373);
  const after = await operator.metric('deadline_slack_seconds');
  const crossed = before !== undefined && after !== undefined && before > 90 && after < 90;
  return step(
    'fault 4: deadline_slack_seconds crosses the 90 s line',
    crossed,
    `${before?.toFixed(0)} s, then ${after?.toFixed(0)} s`,
  );
}

async function refusedWithReason(operator: Operator): Promise<Step> {
  const session = await operator.session('probe', 'late');
  session?.hangUp();
  const { status, body, headers }: Reply = session ?? { status: 0, body: undefined, headers: {} };
  const closed = headers['x-should-retry'] === 'false' && headers['retry-after'] !== undefined;
  const reason = String(field(body, 'reason'));
  const ok =
    status === 429 &&
    closed &&
    field(body, 'error') === 'interactive_lease_rejected' &&
    reason === 'deadline_slack_seconds below 90' &&
    typeof field(body, 'queue_age_seconds') === 'number' &&
    typeof field(body, 'retry_after_seconds') === 'number';
  return step(
    'fault 5: a new interactive lease gets 429 with the reason',
    ok,
    `${status} ${reason}`,
  );
}

function stayedInside({ parts }: RunningRun): Step {
  const pids = [process.pid, parts.stub?.pid, parts.gateway?.pid].filter(
    (pid) => pid !== undefined,
  );
  const beyond = reachedBeyond(pids);
  return step(
    'nothing has reached out of loopback',
    beyond === null || beyond.length === 0,
    beyond === null
      ? 'this system does not say; every address used is 127.0.0.1'
      : `${pids.length} processes, ${beyond.length} connections beyond`,
  );
}

async function rollBack(operator: Operator): Promise<Step[]> {
  const off = await operator.put('/admin/policy', { reject_interactive: false });
  const slackS = await operator.metric('deadline_slack_seconds');
  const first = await operator.session('dbg', 'one');
  const second = await operator.session('dbg', 'two');
  const reason = String(field(second?.body, 'reason') ?? second?.status);
  first?.hangUp();
  second?.hangUp();
  return [
    step(
      'roll-back 1: reject_interactive is off',
      off.status === 200 && field(off.body, 'rejectInteractive') === false,
      `PUT /admin/policy ${off.status}`,
    ),
    step(
      'roll-back 2: slack is still exported',
      slackS !== undefined,
      `deadline_slack_seconds ${slackS?.toFixed(0)}`,
    ),
    step(
      'roll-back 3: interactive leases are capped at one',
      first?.status === 200 && second?.status === 429,
      `one session ${first?.status}, the next ${second?.status}: ${reason}`,
    ),
  ];
}

async function cleanUp(operator: Operator): Promise<Step[]> {
  const drained = await operator.post('/admin/drain');
  const refused = await operator.session('probe', 'after');
  refused?.hangUp();
  const { body } = await operator.get('/admin/leases');
  const leases = field(body, 'leases');
  const left = Array.isArray(leases) ? leases.length : undefined;
  return [
    step(
      'clean-up: the gate drains, and refuses what comes then',
      drained.status === 200 && field(drained.body, 'empty') === true && refused?.status === 503,
      `empty ${String(field(drained.body, 'empty'))}, then ${refused?.status}`,
    ),
    step('clean-up: the pool is empty', left === 0, `${left} leases`),
  ];
}

function actionsIn(body: unknown): string[] {
  const verdicts = field(body, 'verdicts');
  return Array.isArray(verdicts) ? verdicts.map((each) => String(field(each, 'action'))) : [];
}
