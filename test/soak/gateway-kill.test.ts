/**
 * Kills the gateway with SIGKILL at 200 random instants under load: what it has told a caller must
 * be in its ledger, and the ledger must replay. About eight minutes; LOADLINE_SOAK_KILLS sets
 * another number of kills.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { launchOf } from '../../src/commands/launch.ts';
import { type Part, startPart } from '../../src/engine/live/child.ts';
import { openLedger } from '../../src/ledger/codec.ts';
import { checkGate } from '../../src/ledger/laws.ts';
import { TaskLines } from '../../src/ledger/task-events.ts';
import { drawsAt, streamKey } from '../../src/random.ts';
import { stableJson } from '../../src/result/json.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

const KILLS = Number(process.env['LOADLINE_SOAK_KILLS'] ?? 200);
const CALLERS = 12;
const SEED = 1;
const LONGEST_LIFE_MS = 400;

/** Everything happens: grants, waits that end, refusals, preempts and restarts. */
const SCENARIO = parseScenario({
  name: 'soak',
  durationS: 10,
  sloS: 10,
  arrivals: { process: 'poisson', ratePerS: 1 },
  classes: { batch: { replay: true, maxTokens: 8, outTokens: 8, inTokens: 4, deadlineS: 5 } },
  gate: { slots: 3, maxWaitS: 0.05, depthMultiple: 2, maxPreempts: 2, taskBudgetTokens: 100 },
  model: {
    service: { tokens: { prefillPerS: 1000, gapS: 0.004 } },
    checkpointTokens: 4,
    resume: true,
    preempts: { type: 'rate', perS: 8 },
  },
});

type Decision = 'admit' | 'reject' | 'expire';
interface Told {
  readonly seq: number;
  readonly decision: Decision;
}

/** `make soak` builds first; from its sources a gate takes seconds to start. */
const BUILT = { script: 'dist/cli.js', nodeArguments: [] };

const EFFECT = { admit: 'granted', reject: 'rejected', expire: 'expired' } as const;

/** Asks until the gate dies; keeps what it was told. */
async function ask(port: number, next: () => number, told: Told[], alive: () => boolean) {
  while (alive()) {
    const seq = next();
    await new Promise<void>((done) => {
      const sent = request(
        {
          ...{ host: '127.0.0.1', port, method: 'POST', path: '/v1/chat/completions' },
          headers: { 'content-type': 'application/json', 'x-loadline-seq': String(seq) },
        },
        (answer) => {
          const decision = answer.headers['x-loadline-decision'];
          if (typeof decision === 'string') told.push({ seq, decision: decision as Decision });
          answer
            .on('error', () => {})
            .once('close', done)
            .resume();
        },
      );
      sent.on('error', () => done());
      sent.end(
        JSON.stringify({
          ...{ model: 'loadline-stub', stream: true, max_tokens: 8 },
          messages: [{ role: 'user', content: 'hi' }],
        }),
      );
    });
    // A gate that has died refuses at once: do not spin until that is noticed.
    await pause(1);
  }
}

function startGate(folder: string, gateLedger: string, stub: Part): Promise<Part> {
  const upstream = `http://127.0.0.1:${stub.port}`;
  return startPart(
    'gateway',
    existsSync('dist/.built') ? BUILT : launchOf('cli'),
    [
      ...['gateway', '--resolved', join(folder, 'scenario.json'), '--upstream', upstream],
      ...['--stub', '--port', '0', '--gate-ledger', gateLedger, '--log', 'none'],
      '--exit-with-parent',
    ],
    { ...process.env, LEDGER_PATH: join(folder, 'tasks.jsonl') },
  );
}

/** What was told and is not in the gate's ledger; and what the ledger says against the laws. */
async function judge(path: string, told: readonly Told[]) {
  const { header, lines } = await openLedger('gate', path);
  const seqOf = new Map<number, number>();
  const known = new Set<string>();
  for await (const { line } of lines) {
    if ('in' in line && line.in.type === 'arrive') seqOf.set(line.in.id, line.in.seq);
    if ('out' in line && 'id' in line.out) known.add(`${line.out.type} ${seqOf.get(line.out.id)}`);
  }
  const again = await openLedger('gate', path);
  return {
    lost: told.filter(({ seq, decision }) => !known.has(`${EFFECT[decision]} ${seq}`)),
    violations: await checkGate(header, again.lines),
  };
}

it(`loses no acknowledged decision in ${KILLS} kills at random instants`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loadline-soak-'));
  writeFileSync(join(folder, 'scenario.json'), stableJson(SCENARIO));
  const stubArgs = ['--scenario', join(folder, 'scenario.json'), '--port', '0'];
  const stub = await startPart('stub', launchOf('stub'), [...stubArgs, '--exit-with-parent']);
  const rng = drawsAt(streamKey(SEED, 'soak'));
  const count = { admit: 0, reject: 0, expire: 0 };
  const admitted = new Set<string>();
  let seq = 0;
  try {
    for (let kill = 0; kill < KILLS; kill++) {
      const ledger = join(folder, `gate-${kill}.jsonl`);
      const gate = await startGate(folder, ledger, stub);
      const told: Told[] = [];
      let alive = true;
      const next = () => seq++;
      const callers = Array.from({ length: CALLERS }, () =>
        ask(gate.port, next, told, () => alive),
      );
      await pause(5 + rng.uniform() * LONGEST_LIFE_MS);
      process.kill(gate.pid, 'SIGKILL');
      alive = false;
      await Promise.all(callers);
      await gate.stop();
      const { lost, violations } = await judge(ledger, told);
      expect({ kill, lost, violations }).toEqual({ kill, lost: [], violations: [] });
      for (const { decision, seq: of } of told) {
        count[decision]++;
        if (decision === 'admit') admitted.add(`batch-${String(of).padStart(4, '0')}`);
      }
      rmSync(ledger);
    }
    const lines = new TaskLines('tasks.jsonl');
    const events = lines.push(readFileSync(join(folder, 'tasks.jsonl'), 'utf8'));
    const kept = new Set(events.filter(({ event }) => event === 'admit').map((e) => e.task_id));
    console.log(`told: ${JSON.stringify(count)}, torn lines ${lines.torn}`);
    expect([...admitted].filter((task) => !kept.has(task))).toEqual([]);
    expect(lines.torn).toBeLessThanOrEqual(KILLS);
    // The load was one: each kind of decision was met.
    expect(Math.min(count.admit, count.reject, count.expire)).toBeGreaterThan(0);
  } finally {
    await stub.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
