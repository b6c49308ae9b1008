import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { atEnd, call, until, upstreamOf } from './support.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The gate in a process of its own, as the command starts it. */
async function gateProcess(upstream: string, exitWithParent: boolean, graceMs = 5000) {
  const script = `
    import { gatewayMain } from './src/gateway/main.ts';
    import { parseScenario } from './src/scenario/schema.ts';
    const scenario = parseScenario({ name: 't', arrivals: { process: 'poisson', ratePerS: 1 } });
    await gatewayMain(
      { scenario, upstream: '${upstream}' },
      { exitWithParent: ${exitWithParent}, graceMs: ${graceMs} },
    ).catch(({ message, exitCode }) => {
      console.log(message);
      process.exitCode = exitCode;
    });
  `;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  atEnd(() => child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, listening: JSON.parse(line.toString()) as { event: string; port: number } };
}

const exitOf = async (child: ChildProcess) =>
  (await once(child, 'exit')) as [number | null, string];

describe('the gate as a process', () => {
  it.each(['SIGTERM', 'SIGHUP'] as const)(
    'says where it listens, and on %s lets what is inside end',
    async (signal) => {
      let finish: (() => void) | undefined;
      const upstream = await upstreamOf((_, response) => {
        // One that comes before the signal is heard must not wait in the place of the first.
        if (finish === undefined) finish = () => response.end('ok');
        else response.end('let in');
      });
      const { child, listening } = await gateProcess(upstream.url, false);
      expect(listening).toEqual({ event: 'listening', port: expect.any(Number) });
      const inside = call(listening.port);
      await until(() => finish !== undefined, 'one is upstream');
      const exit = exitOf(child);
      child.kill(signal);
      await until(async () => (await call(listening.port)).status === 503, 'new work is refused');
      finish?.();
      expect((await inside).status).toBe(200);
      expect(await exit).toEqual([0, null]);
    },
  );

  it('waits for what is inside until a second signal, which a closing terminal is not', async () => {
    const seen = { requests: 0 };
    const upstream = await upstreamOf((_, response) => {
      // Only the first stays; one that comes before the signal is heard must not wait beside it.
      if (++seen.requests > 1) response.end('let in');
    });
    const { child, listening } = await gateProcess(upstream.url, false, 3_600_000);
    const inside = call(listening.port).catch(() => 'cut off');
    await until(() => seen.requests === 1, 'one is upstream');
    const exit = exitOf(child);
    child.kill('SIGTERM');
    await until(async () => (await call(listening.port)).status === 503, 'new work is refused');
    child.kill('SIGHUP');
    await until(async () => (await call(listening.port)).status === 503, 'it still answers');
    child.kill('SIGTERM');
    expect(await exit).toEqual([1, null]);
    expect(await inside).toBe('cut off');
  });

  it.each([
    [false, 1, 'cut off: 1 that had not ended\n'],
    [true, 0, ''],
  ])(
    'tells who started it that time was over for what it let in, save that it is the gate of a run (%s)',
    async (exitWithParent, code, said) => {
      let isInside = false;
      const upstream = await upstreamOf(() => {
        isInside = true;
      });
      const { child, listening } = await gateProcess(upstream.url, exitWithParent, 0);
      let text = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      const inside = call(listening.port).catch(() => 'cut off');
      await until(() => isInside, 'one is upstream');
      const exit = once(child, 'close');
      child.kill('SIGTERM');
      expect(await exit).toEqual([code, null]);
      expect(
        text
          .split('\n')
          .filter((line) => !line.startsWith('{'))
          .join('\n'),
      ).toBe(said);
      expect(await inside).toBe('cut off');
    },
  );

  it('leaves at once on SIGTERM although the pipe from its parent is open', async () => {
    const upstream = await upstreamOf(() => {});
    const { child } = await gateProcess(upstream.url, true);
    const exit = exitOf(child);
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  it('does not outlive who started it', async () => {
    const upstream = await upstreamOf(() => {});
    const { child } = await gateProcess(upstream.url, true);
    const exit = exitOf(child);
    child.stdin?.end();
    expect(await exit).toEqual([0, null]);
  });
});
