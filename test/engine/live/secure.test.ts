import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { askPath } from '../../../src/engine/live/ask.ts';
import { endpointUrls } from '../../../src/engine/live/endpoint-url.ts';
import { preflight } from '../../../src/engine/live/preflight.ts';
import { createWire } from '../../../src/engine/live/wire.ts';

const address = { host: '127.0.0.1', family: 4 } as const;
const HAS_OPENSSL = spawnSync('openssl', ['version']).status === 0;
const MODELS = '{"data":[{"id":"loadline-stub"}]}';

afterEach(() => vi.unstubAllEnvs());

async function portOf(server: Server | ReturnType<typeof createHttpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

it('never goes through a proxy to this machine', async () => {
  for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY']) {
    vi.stubEnv(name, 'http://127.0.0.1:1');
  }
  const server = createHttpServer((_, response) => response.end('here'));
  const origin = `http://127.0.0.1:${await portOf(server)}`;
  const wire = createWire({ origin, address, ca: undefined, insecure: false });
  expect(await askPath(wire, '/')).toMatchObject({ status: 200, text: 'here' });
  await wire.close();
  server.close();
});

it('says of an https URL at an http port that there is no TLS, and no place in OpenSSL', async () => {
  const server = createHttpServer((_, response) => response.end('here'));
  const origin = `https://127.0.0.1:${await portOf(server)}`;
  const wire = createWire({ origin, address, ca: undefined, insecure: false });
  expect(await askPath(wire, '/')).toMatchObject({
    ...{ failure: 'connect', message: 'an answer without TLS (http instead of https?)' },
  });
  await wire.close();
  server.close();
});

describe.skipIf(!HAS_OPENSSL)('an endpoint that signed its own certificate (needs openssl)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loadline-tls-'));
  const file = (name: string) => join(folder, name);
  let server: Server;
  let origin = '';

  beforeAll(async () => {
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const out = ['-keyout', file('key.pem'), '-out', file('cert.pem'), '-days', '2', '-nodes'];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    execFileSync('openssl', ['req', '-x509', ...curve, ...out, ...subject], { stdio: 'ignore' });
    server = createServer(
      { key: readFileSync(file('key.pem')), cert: readFileSync(file('cert.pem')) },
      (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(MODELS),
    );
    origin = `https://127.0.0.1:${await portOf(server)}`;
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  async function look(trust: { ca?: string; insecure?: boolean }) {
    const { ca, insecure = false } = trust;
    const wire = createWire({ origin, address, ca, insecure });
    try {
      const settings = { urls: endpointUrls(origin), model: undefined, apiKey: undefined };
      return await preflight(wire, settings);
    } finally {
      await wire.close();
    }
  }

  it('is refused before the run, with the flags that would help', async () => {
    await expect(look({})).rejects.toThrow('(--ca FILE trusts it, --insecure any)');
  });

  it('is reached with its certificate, or without looking at it', async () => {
    const ca = readFileSync(file('cert.pem'), 'utf8');
    expect(await look({ ca })).toMatchObject({ isStub: true });
    expect(await look({ insecure: true })).toMatchObject({ isStub: true });
  });
});
