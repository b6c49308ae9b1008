import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { endpointUrls } from '../../../src/engine/live/endpoint-url.ts';
import { preflight } from '../../../src/engine/live/preflight.ts';
import { createWire, type Wire } from '../../../src/engine/live/wire.ts';

const STREAM =
  'data: {"choices":[{"delta":{"content":"y"},"finish_reason":"length"}]}\n\ndata: [DONE]\n\n';
const MODELS = '{"data":[{"id":"only"}]}';
type Reply = readonly [status: number, type: string, body: string];
/** undefined: no answer. */
type Replies = (path: string, body: string, key: string) => Reply | undefined;

const open: { server: Server; wire: Wire }[] = [];
afterEach(async () => {
  for (const { server, wire } of open.splice(0)) {
    await wire.close();
    await new Promise((resolve) => server.close(resolve));
  }
});

type Settings = { model?: string; apiKey?: string; timeoutMs?: number };
async function look(replies: Replies, settings: Settings = {}) {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const path = request.url ?? '';
      const reply = replies(path, body, request.headers.authorization ?? '');
      if (reply === undefined) return;
      const [status, type, text] = reply;
      response.writeHead(status, { 'content-type': type }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const address = { host: '127.0.0.1', family: 4 } as const;
  const wire = createWire({ origin, address, ca: undefined, insecure: false });
  open.push({ server, wire });
  const { model, apiKey, timeoutMs } = settings;
  return preflight(wire, { urls: endpointUrls(origin), model, apiKey, timeoutMs });
}

const models = (path: string) => path.endsWith('/models');

describe('the preflight', () => {
  it('takes the only model of an endpoint', async () => {
    const found = await look((path) =>
      models(path) ? [200, 'application/json', MODELS] : [200, 'text/event-stream', STREAM],
    );
    expect(found).toMatchObject({ model: 'only', isStub: false, askUsage: true });
  });

  it('knows our stub', async () => {
    const found = await look(() => [200, 'application/json', '{"data":[{"id":"loadline-stub"}]}']);
    expect(found).toMatchObject({ isStub: true, model: 'loadline-stub' });
  });

  it('asks for a model by name where there are several, listing them', async () => {
    const two = '{"data":[{"id":"a"},{"id":"b"}]}';
    await expect(look(() => [200, 'application/json', two])).rejects.toThrow(
      /^--model: expected .* has a, b$/,
    );
  });

  it('goes on without stream_options where they are refused, and says so (C14)', async () => {
    const found = await look(
      (path, body) => {
        if (models(path)) return [404, 'text/plain', ''];
        return body.includes('stream_options')
          ? [400, 'application/json', '{"error":"Extra inputs are not permitted"}']
          : [200, 'text/event-stream', STREAM];
      },
      { model: 'm' },
    );
    expect(found.askUsage).toBe(false);
    expect(found.notes[0]).toContain('stream_options');
  });

  it.each<[string, Reply, RegExp]>([
    ['a web page', [200, 'text/html', '<html>log in</html>'], /got a web page \(200\): log in$/],
    [
      'a missing path',
      [404, 'text/plain', 'nope'],
      /\/v1\/chat\/completions: .* got 404: is the path/,
    ],
    [
      'a missing model',
      [404, 'application/json', '{"error":{"message":"The model `m` does not exist"}}'],
      /expected the model m to be there/,
    ],
    ['a failing server', [500, 'text/plain', 'out of memory'], /got 500, out of memory/],
    ['plain text', [200, 'text/plain', 'unsupported: x'], /got 200 text\/plain: unsupported: x$/],
  ])('says in one line what is wrong with %s', async (_, reply, expected) => {
    const looked = look((path) => (models(path) ? [404, 'text/plain', ''] : reply), { model: 'm' });
    await expect(looked).rejects.toThrow(expected);
    await looked.catch((error: Error) => expect(error.message).not.toContain('\n'));
  });

  it('shows neither the key nor what would move the cursor', async () => {
    const reply = [500, 'text/plain', '\u001b[2J you sent Bearer sk-secret'] as const;
    const looked = look(() => reply, { model: 'm', apiKey: 'sk-secret' });
    await expect(looked).rejects.toThrow(/got 500, \\u001b\[2J you sent Bearer …$/);
  });

  it('waits as long as it is told to', async () => {
    const looked = look((path) => (models(path) ? [404, 'text/plain', ''] : undefined), {
      ...{ model: 'm', timeoutMs: 50 },
    });
    await expect(looked).rejects.toThrow(/expected an answer, got no answer within 0\.05 s$/);
  });

  it.each([401, 403])(
    'says which variables hold a key at %i, and never the key',
    async (status) => {
      await expect(look(() => [status, 'application/json', '{}'])).rejects.toThrow(
        /OPENAI_API_KEY/,
      );
      const refused = look(() => [status, 'application/json', '{}'], { apiKey: 'sk-secret' });
      await expect(refused).rejects.toThrow(/is the API key right/);
      await refused.catch((error: Error) => expect(error.message).not.toContain('sk-secret'));
    },
  );
});
