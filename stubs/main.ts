import { writeFileSync } from 'node:fs';
import { printable, UserError } from '../src/errors.ts';
import { loadScenario } from '../src/scenario/load.ts';
import { parseScenario } from '../src/scenario/schema.ts';
import type { Scenario } from '../src/scenario/types.ts';
import { parseStubArguments, type StubArguments } from './arguments.ts';
import { startStub } from './server.ts';

/** For a stub that is tried out by hand; it makes no arrivals itself. */
const DEFAULT = { name: 'stub', arrivals: { ratePerS: 1 } };

async function scenarioOf({ scenario, seed }: StubArguments): Promise<Scenario> {
  const parsed = parseScenario(
    scenario === undefined ? DEFAULT : (await loadScenario(scenario)).input,
  );
  return seed === undefined ? parsed : { ...parsed, seed };
}

async function main(): Promise<void> {
  const args = parseStubArguments(process.argv.slice(2));
  const stub = await startStub({
    scenario: await scenarioOf(args),
    port: args.port,
    timeScale: args.timeScale,
    ...(args.keepAliveMs === undefined ? {} : { keepAliveMs: args.keepAliveMs }),
    log: (line) => process.stderr.write(`${JSON.stringify(line)}\n`),
  });
  let isClosing = false;
  const end = (close: () => Promise<void> = stub.close): void => {
    if (isClosing) return;
    isClosing = true;
    void close().then(() => process.exit(0));
  };
  process.once('SIGTERM', () => end(stub.leave)).once('SIGINT', () => end());
  // A terminal that closes says so more than once.
  process.on('SIGHUP', () => end(stub.leave));
  if (args.exitWithParent) {
    process.stdin
      .on('end', () => end())
      .on('error', () => end())
      .resume();
  }
  if (args.portFile !== undefined) writeFileSync(args.portFile, `${stub.port}\n`);
  process.stdout.write(`${JSON.stringify({ event: 'listening', port: stub.port })}\n`);
}

main().catch((error: unknown) => {
  const isUsers = error instanceof UserError;
  const text = isUsers ? error.message : String(error);
  process.stderr.write(`loadline stub: ${printable(text)}\n`);
  process.exit(isUsers ? error.exitCode : 1);
});
