import { expect, it } from 'vitest';
import { endpointUrls, isLoopback } from '../../../src/engine/live/endpoint-url.ts';
import { UserError } from '../../../src/errors.ts';

it.each([
  ['http://h:1', '/v1/chat/completions', '/v1/models'],
  ['http://h:1/', '/v1/chat/completions', '/v1/models'],
  ['h:1', '/v1/chat/completions', '/v1/models'],
  ['http://h:1/v1', '/v1/chat/completions', '/v1/models'],
  ['http://h:1/v1/', '/v1/chat/completions', '/v1/models'],
  ['http://h:1/v1/chat/completions', '/v1/chat/completions', '/v1/models'],
  ['http://h:1//v1//', '/v1/chat/completions', '/v1/models'],
  ['http://h:1/v1beta/openai/', '/v1beta/openai/chat/completions', '/v1beta/openai/models'],
  ['http://h:1/api/v1', '/api/v1/chat/completions', '/api/v1/models'],
  ['http://h:1/openai', '/openai/v1/chat/completions', '/openai/v1/models'],
  ['http://h:1/v10', '/v10/chat/completions', '/v10/models'],
  ['http://h:1/av1', '/av1/chat/completions', '/av1/models'],
  [
    'http://h:1/openai/deployments/m?api-version=2024-10-21',
    '/openai/deployments/m/chat/completions?api-version=2024-10-21',
    '/openai/deployments/m/models?api-version=2024-10-21',
  ],
])('calls one URL for %s (C18)', (text, completionsPath, modelsPath) => {
  expect(endpointUrls(text)).toMatchObject({ completionsPath, modelsPath });
});

it('does not show what a query holds', () => {
  expect(endpointUrls('https://h/v1?key=secret').shown).toBe('https://h/v1/chat/completions?…');
});

it.each(['ftp://h', 'http://', 'http://user:secret@h/v1', ''])('refuses %j', (text) => {
  expect(() => endpointUrls(text)).toThrow(UserError);
  expect(() => endpointUrls(text)).not.toThrow(/secret/);
});

it.each([
  ['http://127.0.0.1:8', true],
  ['http://localhost:8', true],
  ['http://[::1]:8', true],
  ['http://127.0.0.1.example.com', false],
  ['http://localhost.example.com', false],
  ['http://10.0.0.1', false],
])('knows whether %s is this machine', (origin, expected) => {
  expect(isLoopback(origin)).toBe(expected);
});
