import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Argument, Command } from 'commander';
import { UserError } from '../errors.ts';
import { stableJson } from '../result/json.ts';
import { launchOf } from './launch.ts';
import {
  OF_A_RUN,
  portNumber,
  type ScenarioOptions,
  timeScaleNumber,
  withScenarioOptions,
} from './options.ts';
import { SERVED, scenarioFrom } from './resolve.ts';
import { END_SIGNALS } from './signals.ts';

interface StubOptions extends ScenarioOptions {
  readonly port: number;
  readonly timeScale: number;
}

/** `loadline stub`: the model server of a scenario alone, in the foreground. */
export function stubCommand(): Command {
  const command = new Command('stub')
    .description('serve an OpenAI-compatible stub that behaves like the model of a scenario')
    .addArgument(new Argument('[scenario]', 'a file, or the name of a shipped scenario'))
    .option('-p, --port <number>', 'where it listens; 0: any free port', portNumber, 8000)
    .option('--time-scale <number>', 'wall seconds per scenario second', timeScaleNumber, 1);
  command.addHelpText(
    'after',
    '\nIn the background: node dist/cli.js stub … & (npx passes no signal on and would leave it running)',
  );
  return withScenarioOptions(command, [...OF_A_RUN, 'sloS', 'gate.']).action(run);
}

async function run(nameOrPath: string | undefined, options: StubOptions): Promise<void> {
  const scenario = await scenarioFrom(nameOrPath, options, SERVED);
  const folder = mkdtempSync(join(tmpdir(), 'loadline-stub-'));
  try {
    const file = join(folder, 'scenario.json');
    writeFileSync(file, stableJson(scenario));
    await serve(['--scenario', file, '--port', String(options.port)], options.timeScale);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The stub is a program of its own: it speaks through our output and gets our signals. */
async function serve(argv: readonly string[], timeScale: number): Promise<void> {
  const { script, nodeArguments } = launchOf('stub');
  const all = [...nodeArguments, script, ...argv, '--time-scale', String(timeScale)];
  const child = spawn(process.execPath, [...all, '--exit-with-parent'], {
    // No terminal of its own: one that closes would make it abort at its end.
    stdio: 'pipe',
  });
  child.stdout.pipe(process.stdout);
  child.stderr.pipe(process.stderr);
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  for (const each of END_SIGNALS) process.on(each, pass);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  for (const each of END_SIGNALS) process.off(each, pass);
  if (signal !== null) throw new UserError(`stub: expected it to go on, got ${signal}`, 1);
  // Why it ended with another code it has said itself.
  if (code !== 0) process.exitCode = code ?? 1;
}
