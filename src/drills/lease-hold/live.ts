/** The crossing drill over HTTP, with the runbook's faults, roll-back and clean-up beside it. */
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Schedule } from '../../arrivals/schedule.ts';
import { runLive } from '../../commands/live-run.ts';
import { withVerdicts } from '../../commands/run-facts.ts';
import { newRunPath, openRunFolder, type RunFolder } from '../../commands/run-folder.ts';
import { NO_LIMITS } from '../../engine/live/breaker.ts';
import { openLedger } from '../../ledger/codec.ts';
import { joinLedgers } from '../../ledger/join.ts';
import type { Result } from '../../result/types.ts';
import type { Scenario } from '../../scenario/types.ts';
import { type DrillOptions, type Step, step } from '../drill.ts';
import { isAlive } from '../loopback.ts';
import { rehearse } from './faults.ts';
import { LeaseHoldWatch, type Watched } from './watch.ts';

/** 48 s of wall time: 2 % of scenario time is then a second, far above what a busy machine adds. */
const TIME_SCALE = 0.1;

export interface PlayedLive {
  readonly seen: Watched;
  readonly steps: readonly Step[];
  readonly result: Result;
  readonly schedule: Schedule;
  readonly page: string;
}

export async function playLeaseHold(
  scenario: Scenario,
  mode: 'reject' | 'admit',
  options: DrillOptions,
): Promise<PlayedLive> {
  const timeScale = options.timeScale ?? TIME_SCALE;
  const folder = openRunFolder(options.out ?? newRunPath('drill-lease-hold'), options.force);
  const pids: number[] = [];
  let steps: readonly Step[] = [];
  options.say(`live, about ${Math.ceil(scenario.durationS * timeScale)} s`);
  try {
    const { result: bare, schedule } = await runLive(scenario, {
      folder,
      timeScale,
      limits: NO_LIMITS,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      meanwhile: async (run) => {
        for (const part of [run.parts.stub, run.parts.gateway]) if (part) pids.push(part.pid);
        steps = await rehearse({ run, timeScale, mode });
      },
    });
    const seen = await watchLedgers(folder, schedule);
    const result = withVerdicts(bare, schedule);
    const page = await folder.finish(result, schedule);
    return { seen, steps: [...steps, ...nothingLeft(pids, folder)], result, schedule, page };
  } finally {
    folder.abandon();
  }
}

async function watchLedgers(folder: RunFolder, schedule: Schedule): Promise<Watched> {
  const watch = new LeaseHoldWatch('batch');
  const client = await openLedger('client', folder.file('client.jsonl'));
  const gate = await openLedger('gate', folder.file('gate.jsonl'));
  await joinLedgers({ client, gate, arrivals: schedule.arrivals }, watch);
  return watch.seen();
}

function nothingLeft(pids: readonly number[], { path }: RunFolder): Step[] {
  const alive = pids.filter(isAlive);
  const parts = readdirSync(dirname(path)).filter((name) => name.endsWith(`.${process.pid}.part`));
  return [
    step(
      'clean-up: nothing is left running, and no half-written run',
      alive.length === 0 && parts.length === 0,
      `${pids.length} processes ended, ${parts.length} left-overs`,
    ),
  ];
}
