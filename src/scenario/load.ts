/** From a path, or the name of a shipped scenario, to what its author wrote. Parsing comes later. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';
import { UserError } from '../errors.ts';
import { importModule } from './load-module.ts';
import { suggestion } from './nearest.ts';
import { inlineFiles } from './relative-files.ts';

/** A scenario as written, its prompt and model files read in. */
export interface LoadedScenario {
  readonly input: unknown;
  /** What relative paths in it (of traces) are relative to. */
  readonly folder: string;
  readonly path: string;
}

const MODULES = ['.ts', '.mts', '.js', '.mjs'];
const DATA = ['.json', '.yaml', '.yml'];

/**
 * Read a scenario.
 * @param nameOrPath a `.ts`, `.js`, `.json` or `.yaml` file anywhere, or `rush` for a shipped one
 * @throws UserError in one line: no such file, no default export, a syntax error with its line
 */
export async function loadScenario(nameOrPath: string): Promise<LoadedScenario> {
  const path = locate(nameOrPath);
  const written = await readWritten(path, nameOrPath);
  const folder = dirname(path);
  return { input: inlineFiles(named(written, path), folder), folder, path };
}

/** A scenario that does not name itself is called after its file. */
function named(written: unknown, path: string): unknown {
  if (typeof written !== 'object' || written === null || Array.isArray(written)) return written;
  return { name: basename(path, extname(path)), ...written };
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

function locate(nameOrPath: string): string {
  if (isFile(nameOrPath)) return resolve(nameOrPath);
  const folder = shippedFolder();
  const shipped = folder === undefined ? undefined : join(folder, `${nameOrPath}.ts`);
  const isName = /^[\w-]+$/.test(nameOrPath);
  if (isName && shipped !== undefined && isFile(shipped)) return shipped;
  const hint = isName ? suggestion(nameOrPath, shippedNames()) : '';
  const got = existsSync(nameOrPath) ? 'a folder' : `no such file${hint}`;
  throw new UserError(`${nameOrPath}: expected a scenario file, got ${got}`);
}

/** Beside the sources, or beside `dist`, whose files lie one level higher. */
function shippedFolder(): string | undefined {
  const candidates = ['../scenarios', '../../scenarios'];
  return candidates
    .map((each) => fileURLToPath(new URL(each, import.meta.url)))
    .find((folder) => existsSync(join(folder, 'rush.ts')));
}

/** The scenarios that come with loadline, by name. */
export function shippedNames(): string[] {
  const folder = shippedFolder();
  if (folder === undefined) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => basename(name, '.ts'))
    .sort();
}

async function readWritten(path: string, shown: string): Promise<unknown> {
  const kind = extname(path).toLowerCase();
  if (MODULES.includes(kind)) return await importModule(path, shown);
  if (!DATA.includes(kind)) {
    const expected = [...MODULES, ...DATA].join(' ');
    throw new UserError(`${shown}: expected a file of one of ${expected}, got ${kind || 'none'}`);
  }
  const text = readFileSync(path, 'utf8');
  return kind === '.json' ? parseJson(text, shown) : parseYaml(text, shown);
}

function parseJson(text: string, shown: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const position = /at position (\d+)/.exec(message)?.[1];
    const end = position === undefined ? text.length : Number(position);
    const line = text.slice(0, end).split('\n').length;
    throw new UserError(`${shown}:${line}: expected JSON, got ${firstLine(message)}`);
  }
}

function parseYaml(text: string, shown: string): unknown {
  const document = parseDocument(text, { logLevel: 'silent', prettyErrors: true });
  const error = document.errors[0];
  if (error !== undefined) {
    const line = error.linePos?.[0].line ?? 1;
    throw new UserError(`${shown}:${line}: expected YAML, got ${firstLine(error.message)}`);
  }
  try {
    return document.toJS();
  } catch (error) {
    // Aliases that would grow without bound.
    const message = error instanceof Error ? error.message : String(error);
    throw new UserError(`${shown}: expected YAML, got ${firstLine(message)}`);
  }
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').replace(/:$/, '');
}
