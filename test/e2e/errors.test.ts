import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Ended, run, scratch } from './program.ts';

// Alone on two idle cores all of it takes seconds; beside other tests it may take a while.
vi.setConfig({ testTimeout: 90_000 });

const place = scratch();
let webSite: Server;
let webPort = 0;

beforeAll(async () => {
  webSite = createServer((_, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<html><body>welcome</body></html>');
  });
  await new Promise<void>((resolve) => webSite.listen(0, '127.0.0.1', resolve));
  webPort = (webSite.address() as AddressInfo).port;
});
afterAll(async () => {
  await new Promise((resolve) => webSite.close(resolve));
  place.remove();
});

/** One line of ours at the end, no stack, nothing on stdout. */
function expectOneLine({ stdout, stderr }: Ended, expected: RegExp): void {
  const lines = stderr.trimEnd().split('\n');
  const ours = lines.filter((line) => line.startsWith('loadline: '));
  expect(ours).toHaveLength(1);
  expect(lines.at(-1)).toBe(ours[0]);
  expect(ours[0]).toMatch(expected);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stdout).toBe('');
}

const out = (name: string) => ['--out', place.path(name)];
const nothingLeft = (name: string) => {
  expect(readdirSync(place.path('.')).filter((each) => each.includes(name))).toEqual([]);
};

describe('a run that cannot be', () => {
  it('says that nobody listens at the endpoint', async () => {
    const argv = ['bench', 'smoke', '--endpoint', 'http://127.0.0.1:9', '--model', 'm'];
    const ended = await run([...argv, ...out('nobody')]);
    expect(ended.code).toBe(1);
    expectOneLine(ended, /127\.0\.0\.1:9.*ECONNREFUSED/);
    nothingLeft('nobody');
  });

  it('says that the endpoint is a web page', async () => {
    const argv = ['bench', 'smoke', '--endpoint', `http://127.0.0.1:${webPort}`, '--model', 'm'];
    const ended = await run([...argv, ...out('page')]);
    expect(ended.code).toBe(1);
    expectOneLine(
      ended,
      /\/v1\/chat\/completions: expected a completion, got a web page .*welcome/,
    );
    nothingLeft('page');
  });

  it('names the misspelt field of a scenario, and the one that was meant', async () => {
    const file = place.path('typo.json');
    writeFileSync(file, '{"arrivals":{"ratePerS":1},"gate":{"slotz":4}}');
    const ended = await run(['bench', file, ...out('typo-run')]);
    expect(ended.code).toBe(2);
    expectOneLine(ended, /gate\.?.*slotz.*slots/);
    nothingLeft('typo-run');
  });

  it('says what is wrong with each of several fields, and where one ends', async () => {
    const file = place.path('two.json');
    writeFileSync(file, '{"sloS":-1,"arrivals":{"ratePerS":1},"gate":{"slots":-4}}');
    const ended = await run(['sim', file]);
    expect(ended.code).toBe(2);
    expectOneLine(ended, /sloS: expected .*, got -1 \(number\); gate\.slots: expected .*, got -4/);
  });

  it('says where a scenario is no TypeScript, and what stands there', async () => {
    const file = place.path('torn.ts');
    writeFileSync(file, 'export default {\n  name: "x"\n  sloS: 3 };');
    const ended = await run(['sim', file]);
    expect(ended.code).toBe(2);
    expectOneLine(ended, /torn\.ts:3:\d+: expected "}", got "sloS"/);
  });

  it('says that the port is in use', async () => {
    const ended = await run(['bench', 'smoke', '--port', String(webPort), ...out('port')]);
    expect(ended.code).toBe(1);
    expectOneLine(ended, new RegExp(`${webPort}: expected a free port.*EADDRINUSE`));
    nothingLeft('port');
  });

  it.each(['1e9', '1e-9', '0'])('is not played at a time scale of %s', async (scale) => {
    const ended = await run(['bench', 'smoke', '--time-scale', scale, ...out('scale')]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/--time-scale.*expected .*, got/);
    nothingLeft('scale');
  });

  it('says once that the port of the stub is in use', async () => {
    const ended = await run(['stub', '--port', String(webPort)]);
    expect(ended.code).toBe(1);
    expect(ended.stderr.trimEnd()).toMatch(/^loadline stub: .*expected a free port.*$/);
  });

  it('says that a scenario never comes to its end', async () => {
    const file = place.path('stuck.ts');
    writeFileSync(file, 'await new Promise(() => {}); export default {}');
    const ended = await run(['sim', file]);
    expect(ended.code).toBe(2);
    expectOneLine(ended, /stuck\.ts: expected a scenario, got no end/);
  });

  it('says before it runs that the folder cannot be written', async () => {
    const file = place.path('a-file');
    writeFileSync(file, '');
    for (const command of ['bench', 'sim']) {
      const ended = await run([command, 'smoke', '--out', `${file}/run`]);
      expect(ended.code).toBe(2);
      expectOneLine(
        ended,
        /a-file\/run: expected a folder that can be written, got (ENOTDIR|EEXIST)/,
      );
    }
    const locked = place.path('locked');
    mkdirSync(locked);
    chmodSync(locked, 0o500);
    // Root may write everywhere.
    if (process.getuid?.() === 0) return;
    const ended = await run(['sim', 'smoke', '--out', `${locked}/run`]);
    expectOneLine(ended, /EACCES/);
  });

  it('asks for consent before it sends anything beyond this machine', async () => {
    const ended = await run(['bench', 'smoke', '--endpoint', 'http://192.0.2.1', ...out('beyond')]);
    expect(ended.code).toBe(2);
    expectOneLine(
      ended,
      /not this machine; expected --yes to send it \d+ requests .* prompt tokens/,
    );
    nothingLeft('beyond');
  });

  it('compresses time for nobody but a stub', async () => {
    const server = createServer((request, response) => {
      const isList = request.url === '/v1/models';
      const type = isList ? 'application/json' : 'text/event-stream';
      response.writeHead(200, { 'content-type': type });
      response.end(
        isList
          ? '{"data":[{"id":"m"}]}'
          : 'data: {"choices":[{"delta":{"content":"y"},"finish_reason":"stop"}]}\n\n',
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const argv = ['bench', 'smoke', '--endpoint', `http://127.0.0.1:${port}/v1`];
    const ended = await run([...argv, '--time-scale', '.1', ...out('scaled')]);
    await new Promise((resolve) => server.close(resolve));
    expect(ended.code).toBe(2);
    expectOneLine(ended, /--time-scale: expected 1 for an endpoint that is not a stub, got 0\.1/);
  });

  it.each([
    [['sim', 'smoke', '--rat', '2'], /unknown option '--rat' \(Did you mean --rate\?\)/],
    [['sim', 'smoke', '--slots', 'many'], /--slots: expected a number, got "many"/],
    [['sim', 'smoke', '--set', 'gate.slotz=2'], /gate\.slotz: unknown path.*slots/],
    [['sim', 'smok'], /smok: expected a scenario file.*smoke/],
    [['bnech'], /unknown command 'bnech' \(Did you mean bench\?\)/],
    [
      ['check', 'no-such-run'],
      /no-such-run: expected the folder of a run, got no such file or folder$/,
    ],
    [
      ['replay', 'no-such-run'],
      /no-such-run: expected the folder of a run, got no such file or folder$/,
    ],
    [
      ['check', 'reports/rush-tune'],
      /rush-tune: expected the folder of a run, got that of a tune$/,
    ],
    [['check', 'src'], /src: expected the folder of a run, got a folder without result\.json$/],
    [
      ['ledger', 'reports'],
      /reports: expected a ledger, or the folder of a run .* got a folder without one$/,
    ],
  ])('ends with 2 for %j', async (argv, expected) => {
    const ended = await run(argv);
    expect(ended.code).toBe(2);
    expectOneLine(ended, expected);
  });

  it('ends with 99 where a threshold of the scenario is crossed', async () => {
    const argv = ['sim', 'smoke', '--set', 'thresholds.rates.rejection=<0', '--quiet'];
    const ended = await run(argv);
    expect(ended.code).toBe(99);
    expect(ended.stderr).toMatch(/^loadline: rates\.rejection: expected <0, got [\d.]+\n$/);
  });
});

it('ends quietly when nobody reads its output', async () => {
  const child = spawn('bash', ['-c', 'node dist/cli.js sim mm4 --json | head -c 10'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await once(child, 'close');
  expect(stderr).toBe('');
  expect(stdout).toHaveLength(10);
});

describe('a search that cannot be', () => {
  it.each([
    [['smoke', '--param', 'sloS=1,2'], /--param sloS: .* not a choice of the operator: use sweep$/],
    [['smoke', 'smoke', '--param', 'gate.maxWaitS=1,2'], /each scenario once.*twice: smoke$/],
  ])('%j is refused in one line', async (args, expected) => {
    const ended = await run(['tune', ...args, ...out('none')]);
    expect(ended.code).toBe(2);
    expectOneLine(ended, expected);
    nothingLeft('none');
  });
});
