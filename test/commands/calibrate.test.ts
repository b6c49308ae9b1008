import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { calibrateCommand } from '../../src/commands/calibrate.ts';
import { testStub } from '../stubs/support.ts';
import { calibratePlace } from './calibrate-place.ts';

const place = calibratePlace();

const calibrate = (url: string, ...argv: string[]) =>
  calibrateCommand().parseAsync(['--endpoint', url, '--model', 'm', '--quiet', ...argv], {
    from: 'user',
  });

/** An endpoint, and how often it was asked. */
async function endpoint(answer: RequestListener) {
  const seen = { requests: 0 };
  const server = createServer((request, response) => {
    seen.requests++;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

it('is refused before the first request where its file cannot be written', async () => {
  const { url, seen } = await endpoint((_, response) => response.end());
  writeFileSync(join(place.path, 'file'), '');
  const ran = calibrate(url, '--out', join(place.path, 'file', 'model.json'));
  await expect(ran).rejects.toThrow(/model\.json: expected a file that can be written, got E/);
  expect(seen.requests).toBe(0);
});

it('makes the folder of its file, with model and page', async () => {
  vi.spyOn(process.stdout, 'write').mockImplementation((_text, done?: unknown) => {
    if (typeof done === 'function') done();
    return true;
  });
  const stub = await testStub({ service: { fixed: 0.01 } });
  onTestFinished(() => stub.close());
  const model = join(place.path, 'deep', 'model.json');
  await calibrate(stub.url, '--out', model, '--max-connections', '1', '--requests', '24');
  expect(readdirSync(join(place.path, 'deep'))).toEqual(['model.html', 'model.json']);
  expect(JSON.parse(readFileSync(model, 'utf8'))).toHaveProperty('model.service');
});

it('waits for the first answer no longer than --timeout says', async () => {
  const { url } = await endpoint(() => {});
  const ran = calibrate(url, '--out', join(place.path, 'model.json'), '--timeout', '.1');
  await expect(ran).rejects.toThrow(/expected an answer, got no answer within 0\.1 s/);
});

it('ends at the first Ctrl-C while the endpoint hangs', async () => {
  const { url, seen } = await endpoint(() => {});
  const ran = calibrate(url, '--out', join(place.path, 'model.json'));
  const ended = expect(ran).rejects.toThrow('interrupted before anything was measured');
  await vi.waitFor(() => expect(seen.requests).toBe(1));
  process.emit('SIGINT');
  await ended;
  expect(readdirSync(place.path)).toEqual([]);
});
