/** A stub and a gate as processes of their own, for a drill that breaks them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildSchedule } from '../../arrivals/build.ts';
import { launchOf } from '../../commands/launch.ts';
import { silenceFlags } from '../../commands/live-parts.ts';
import { makeFolder } from '../../commands/make-folder.ts';
import { silenceLimits } from '../../commands/silence.ts';
import { type Part, startPart } from '../../engine/live/child.ts';
import { openLedger } from '../../ledger/codec.ts';
import { checkGate, type Violation } from '../../ledger/laws.ts';
import type { TaskEvent } from '../../ledger/runbook001.ts';
import { TaskLines } from '../../ledger/task-events.ts';
import { stableJson } from '../../result/json.ts';
import type { Scenario } from '../../scenario/types.ts';
import { Operator } from '../lease-hold/operator.ts';
import { isAlive } from '../loopback.ts';
import { startLimited } from './limited.ts';

export interface RigOptions {
  /** Where scenario and ledgers go; made. */
  readonly folder: string;
  readonly scenario: Scenario;
  /** Files of the gate may grow to this; undefined: as they like. A full disk that needs no root. */
  readonly fileLimitKb?: number;
  /** Where the gate finds the stub, given the stub's port: itself unless something stands between. */
  readonly between?: (stubPort: number) => Promise<number>;
}

/** The two parts of a drill and what they leave behind. */
export class Rig {
  readonly pids: number[] = [];
  readonly operator: Operator;

  private constructor(
    private readonly options: RigOptions,
    public stub: Part,
    readonly gateway: Part,
  ) {
    this.operator = new Operator(this.url);
    this.pids.push(stub.pid, gateway.pid);
  }

  static async start(options: RigOptions): Promise<Rig> {
    makeFolder(options.folder);
    writeFileSync(join(options.folder, 'scenario.json'), stableJson(options.scenario));
    const stub = await startStub(options.folder, 0);
    try {
      const port = (await options.between?.(stub.port)) ?? stub.port;
      return new Rig(options, stub, await startGate(options, port));
    } catch (error) {
      kill(stub.pid);
      throw error;
    }
  }

  get url(): string {
    return `http://127.0.0.1:${this.gateway.port}`;
  }

  freeze(): void {
    process.kill(this.stub.pid, 'SIGSTOP');
  }

  killStub(): void {
    kill(this.stub.pid);
  }

  /** Another stub where the last one was. */
  async replaceStub(): Promise<void> {
    this.stub = await startStub(this.options.folder, this.stub.port);
    this.pids.push(this.stub.pid);
  }

  /** Ends what is left: the gate gently, so that its ledger is closed. */
  async stop(): Promise<void> {
    kill(this.stub.pid);
    await this.gateway.stop();
    for (const pid of this.pids) kill(pid);
  }

  /** The ledger in the runbook's events. */
  events(): { events: TaskEvent[]; torn: number } {
    const lines = new TaskLines('preempt_ledger.jsonl');
    const text = readFileSync(join(this.options.folder, 'preempt_ledger.jsonl'), 'utf8');
    const events = [...lines.push(text), ...lines.end()];
    return { events, torn: lines.torn };
  }

  /** What the gate's own ledger says against its laws, replayed. */
  async violations(): Promise<readonly Violation[]> {
    const { header, lines } = await openLedger('gate', join(this.options.folder, 'gate.jsonl'));
    return checkGate(header, lines);
  }
}

function startStub(folder: string, port: number): Promise<Part> {
  const argv = ['--scenario', join(folder, 'scenario.json'), '--port', String(port)];
  return startPart('stub', launchOf('stub'), [...argv, '--exit-with-parent']);
}

function startGate({ folder, scenario, fileLimitKb }: RigOptions, port: number): Promise<Part> {
  const upstream = `http://127.0.0.1:${port}`;
  const argv = [
    ...['gateway', '--resolved', join(folder, 'scenario.json'), '--upstream', upstream, '--stub'],
    ...['--port', '0', '--gate-ledger', join(folder, 'gate.jsonl'), '--log', 'none'],
    ...['--upstream-metrics', `${upstream}/metrics`, '--exit-with-parent'],
    ...silenceFlags(
      silenceLimits(scenario, buildSchedule(scenario), { timeScale: 1, isStub: true }),
    ),
  ];
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    LEDGER_PATH: join(folder, 'preempt_ledger.jsonl'),
  };
  if (fileLimitKb === undefined) return startPart('gateway', launchOf('cli'), argv, env);
  return startLimited(launchOf('cli'), argv, env, fileLimitKb);
}

/** A process that is there no more is no error. */
function kill(pid: number): void {
  if (isAlive(pid)) process.kill(pid, 'SIGKILL');
}

/** Waits, in short turns, until something holds; false where it does not within the limit. */
export async function holdsWithin(
  limitMs: number,
  holds: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const endMs = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > endMs) return false;
    await pause(20);
  }
  return true;
}
