import { Argument, Command } from 'commander';
import { admissionDrill } from '../drills/admission.ts';
import { type Drill, type DrillReport, WAYS } from '../drills/drill.ts';
import { drillText } from '../drills/drill-text.ts';
import { leaseHoldDrill } from '../drills/lease-hold.ts';
import { preemptDrill } from '../drills/preempt.ts';
import { UserError } from '../errors.ts';
import { stableJson } from '../result/json.ts';
import { type OutputOptions, timeScaleNumber, wholeNumber, withOutputOptions } from './options.ts';
import { note, print } from './output.ts';
import { openRunFolder } from './run-folder.ts';
import { interruptSignal } from './signals.ts';

/** A further drill is one line here. */
const DRILLS: readonly Drill[] = [leaseHoldDrill, preemptDrill, admissionDrill];

interface Flags extends OutputOptions {
  readonly as?: string;
  readonly mode?: string;
  readonly live?: boolean;
  readonly timeScale?: number;
  readonly seed?: number;
}

/** `loadline drill <name>`: a runbook rehearsed, its claims beside what was measured. */
export function drillCommand(): Command {
  const names = DRILLS.map(({ name }) => name);
  const command = new Command('drill')
    .description('rehearse a runbook, and set what it says beside what was measured')
    .addArgument(new Argument('<name>', names.join(' | ')).choices(names))
    .option('--as <way>', 'published | corrected | crossing, where the drill has it')
    .option('--mode <mode>', 'reject | admit, where the drill has modes (DRILL_MODE)')
    .option('--live', 'over HTTP, against a stub behind the gate')
    .option(
      '--time-scale <number>',
      'wall seconds per scenario second of a live drill',
      timeScaleNumber,
    )
    .option('--seed <number>', 'instead of the drill’s own', wholeNumber(0));
  const ways = Object.entries(WAYS).map(([way, text]) => `  ${way.padEnd(10)} ${text}`);
  command.addHelpText('after', `\n--as:\n${ways.join('\n')}`);
  return withOutputOptions(command, 'folder').action(run);
}

async function run(name: string, flags: Flags): Promise<void> {
  const drill = drillCalled(name);
  const mode = flags.mode ?? (process.env['DRILL_MODE'] || undefined);
  checkChoice('--as', flags.as, drill.ways);
  if (drill.modes.length > 0) checkChoice('--mode', mode, drill.modes);
  checkOut(flags, drill);
  const interrupt = interruptSignal();
  try {
    const report = await drill.run({
      as: flags.as,
      mode,
      live: flags.live ?? false,
      timeScale: flags.timeScale,
      seed: flags.seed,
      out: flags.out,
      force: flags.force ?? false,
      say: (text) => note(text, flags),
      signal: interrupt.signal,
    });
    await print(flags.json === true ? stableJson(report.json) : drillText(report));
    if (flags.json === true && report.page !== undefined) note(`page: ${report.page}`, flags);
    judge(report);
  } finally {
    interrupt.release();
  }
}

function drillCalled(name: string): Drill {
  const drill = DRILLS.find((each) => each.name === name);
  if (drill === undefined) throw new UserError(`drill: expected a drill, got ${name}`);
  return drill;
}

/** Before anything is played. @throws UserError where no folder can be, or the way has no run */
function checkOut({ out, as, force = false }: Flags, { ways }: Drill): void {
  if (out === undefined) return;
  const way = as ?? ways[0];
  if (way === 'published') {
    const others = ways.filter((each) => each !== way).join(' | ');
    throw new UserError(
      `--out: expected --as ${others}, got --as published (a script, no run to write)`,
    );
  }
  // Nothing is made yet: a drill opens its folder itself.
  openRunFolder(out, force);
}

function checkChoice(flag: string, value: string | undefined, among: readonly string[]): void {
  if (value === undefined || among.includes(value)) return;
  throw new UserError(`${flag}: expected ${among.join(' | ')}, got ${value}`);
}

function judge({ steps }: DrillReport): void {
  const failed = steps.filter(({ ok }) => !ok);
  if (failed.length === 0) return;
  throw new UserError(
    `${failed.length} of ${steps.length} steps failed: ${failed.map(({ step }) => step).join('; ')}`,
    1,
  );
}
