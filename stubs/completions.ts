import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { errorJson } from './answer.ts';
import { readChatRequest } from './chat-request.ts';
import { Exchange } from './exchange.ts';
import type { Fault } from './faults.ts';
import type { Site } from './site.ts';

const PAGE = '<!doctype html><title>Welcome</title><h1>It works</h1>';

function field(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

function wholeField(headers: IncomingHttpHeaders, name: string): number | undefined {
  const text = field(headers, name);
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** True where the fault is the whole answer. */
function meet(fault: Fault, response: ServerResponse): boolean {
  if (fault.type === 'hang') return true;
  if (fault.type === 'reset') response.socket?.resetAndDestroy();
  else if (fault.type === 'html') send(response, 200, 'text/html; charset=utf-8', PAGE);
  else if (fault.type === 'status') send(response, fault.status, fault.contentType, fault.body);
  else return false;
  return true;
}

/** `POST /v1/chat/completions`. */
export function complete(
  site: Site,
  headers: IncomingHttpHeaders,
  body: unknown,
  response: ServerResponse,
): void {
  const chat = readChatRequest(body);
  if (typeof chat === 'string') {
    send(response, 400, 'application/json; charset=utf-8', errorJson('invalid_request', chat));
    return;
  }
  const fault = site.faults.take();
  if (meet(fault, response) || response.destroyed) return;
  const { scenario } = site;
  const className = field(headers, 'x-loadline-class');
  const note = field(headers, 'x-loadline-demand');
  const work = site.work.work(scenario, chat, className, note);
  const resumeTokens = wholeField(headers, 'x-loadline-resume-tokens') ?? 0;
  const seq = wholeField(headers, 'x-loadline-seq');
  new Exchange(site, { chat, work, response, fault, resumeTokens, seq }).begin();
}
