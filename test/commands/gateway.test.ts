import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { alertsCommand } from '../../src/commands/alerts.ts';
import {
  gatewayCommand,
  graceMsOf,
  logPlace,
  perProcess,
  upstreamOf,
} from '../../src/commands/gateway.ts';
import { stubCommand } from '../../src/commands/stub.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

it('says of a gate that its limits are those of one process', () => {
  expect(perProcess(parseScenario({ arrivals: { ratePerS: 1 }, gate: { slots: 8 } }))).toMatch(
    /^8 slots in this process: limits are per process/,
  );
});

it('puts a stub where `loadline stub` listens, and asks for any other endpoint', () => {
  expect(upstreamOf({ stub: true })).toBe('http://127.0.0.1:8000');
  expect(upstreamOf({ stub: true, upstream: 'http://127.0.0.1:9' })).toBe('http://127.0.0.1:9');
  expect(() => upstreamOf({})).toThrow(/^gateway: expected --upstream URL, or --stub/);
});

it('lists in the help of a part only what that part has, and takes the rest as before', () => {
  const flags = (text: string) => text.match(/--(rate|duration|slots|service|max-wait)\b/g);
  expect(flags(gatewayCommand().helpInformation())).toEqual(['--slots', '--max-wait']);
  expect(flags(stubCommand().helpInformation())).toEqual(['--service']);
  expect(flags(alertsCommand().helpInformation())).toHaveLength(5);
  expect(gatewayCommand().options.some(({ long }) => long === '--rate')).toBe(true);
});

it('finishes what was admitted for as long as is asked, and the gate of a run as long as it always did', () => {
  expect(gatewayCommand().helpInformation()).toMatch(/--drain-timeout <seconds>[^-]*default: 600/);
  expect(graceMsOf({ drainTimeout: 600 })).toBe(600_000);
  expect(graceMsOf({ drainTimeout: 600, exitWithParent: true })).toBe(4_000);
});

it('makes the folder of its log, and says in one line where none can be', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loadline-gateway-'));
  try {
    expect(logPlace('none')).toBeNull();
    expect(logPlace('stdout')).toBe('stdout');
    const log = join(folder, 'deep', 'decisions.log');
    expect(logPlace(log)).toBe(log);
    expect(existsSync(join(folder, 'deep'))).toBe(true);
    // Not a hang: Node's own recursive mkdir never returns from there.
    const nowhere = '/proc/nowhere/decisions.log';
    expect(() => logPlace(nowhere)).toThrow(/^\/proc\/nowhere\/.*: expected a log that can be wr/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
