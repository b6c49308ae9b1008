import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { alertsText } from '../../src/commands/alerts.ts';
import { atEnd, gateOf } from '../gateway/support.ts';
import { testStub } from '../stubs/support.ts';
import { shippedScenario } from '../support/simulated.ts';

const hasPrometheus = spawnSync('prometheus', ['--version']).status === 0;
if (!hasPrometheus) console.log('skipped: prometheus (Debian: prometheus) is not here');

const LIMIT_MS = 30_000;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A real Prometheus that scrapes every second; it ends with the test. */
async function prometheusFor(targets: readonly string[], rules: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yml'],
    scrape_configs: [{ job_name: 'loadline', static_configs: [{ targets }] }],
  };
  writeFileSync(join(folder, 'prometheus.yml'), stringify(config));
  writeFileSync(join(folder, 'rules.yml'), rules);
  const port = await freePort();
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  atEnd(async () => {
    const gone = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGKILL')) await gone;
    rmSync(folder, { recursive: true, force: true });
  });
  return `http://127.0.0.1:${port}`;
}

type Sample = {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: [number, string];
};

async function query(url: string, expression: string): Promise<readonly Sample[]> {
  try {
    const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const body = (await answer.json()) as { data?: { result?: readonly Sample[] } };
    return body.data?.result ?? [];
  } catch {
    return [];
  }
}

/** Asks until as many samples are there as are wanted. */
async function samples(
  url: string,
  expression: string,
  wanted: number,
): Promise<readonly Sample[]> {
  const endMs = performance.now() + LIMIT_MS;
  for (;;) {
    const found = await query(url, expression);
    if (found.length >= wanted || performance.now() > endMs) return found;
    await sleep(250);
  }
}

it.runIf(hasPrometheus)(
  'a real Prometheus scrapes gate and stub, and the rules of a scenario hold over what it finds',
  async () => {
    const night = await shippedScenario('lease-crossing');
    const stub = await testStub({ service: { fixed: 0.05 } });
    atEnd(() => stub.close());
    const { classes } = night;
    const gateway = await gateOf(
      stub.url,
      { slots: 2 },
      { scenario: { ...night, classes }, upstreamIsStub: true, metricsUrl: `${stub.url}/metrics` },
    );
    const gate = `127.0.0.1:${gateway.port}`;
    const url = await prometheusFor([gate, new URL(stub.url).host], alertsText(night));

    expect((await samples(url, 'up == 1', 2)).length).toBe(2);
    const [slack] = await samples(url, 'loadline:deadline_slack_seconds', 1);
    expect(slack?.value[1]).toBe('455');
    expect((await samples(url, 'cpu_busy_seconds_total', 1)).length).toBeGreaterThan(0);
    const held = await samples(url, 'lease_hold_seconds{lease_class="interactive"}', 1);
    expect(held[0]?.value[1]).toBe('0');
    const reasons = await samples(url, 'loadline_decisions_total{decision="reject"}', 14);
    expect(reasons.map(({ value }) => value[1])).toEqual(reasons.map(() => '0'));
    expect(await query(url, 'ALERTS{alertstate="firing"}')).toEqual([]);
  },
  60_000,
);
