import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import { parseSync } from 'oxc-parser';

/** What one area of the sources may import from the others. It may always import from itself. */
export interface Row {
  readonly uses: readonly string[];
  /** Here only with `import type`: what a type says, not what a module does. */
  readonly typesOf?: readonly string[];
}

export interface Rules {
  readonly table: Readonly<Record<string, Row>>;
  /** Areas where the same inputs must give the same effects: no clock, chance, timer or waiting. */
  readonly deterministic: readonly string[];
  /** Areas that import no package either. */
  readonly withoutPackages: readonly string[];
  /** The one file whose purpose is to export again what others define. */
  readonly libraryEntry: string;
}

/** Path from the project's root, with `/`, to source text. */
export type Sources = ReadonlyMap<string, string>;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
  readonly node: Node;
}

const CLOCKS_AND_WAITING = new Set([
  'Date',
  'performance',
  'console',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'Promise',
  'process',
  'crypto',
  'globalThis',
]);

const BUILTINS = new Set(builtinModules);

/** `src/engine/sim.ts` and `src/engine/sim/heap.ts` are of `engine/sim`, `src/random.ts` of `random`. */
export function areaOf(path: string): string | undefined {
  const [root, ...rest] = path.replace(/\.ts$/, '').split('/');
  if (root === 'stubs') return 'stubs';
  if (root !== 'src' || rest.length === 0) return undefined;
  return rest[0] === 'engine' ? rest.slice(0, 2).join('/') : rest[0];
}

/** Every breach of the rules as `path:line: what is wrong`, in order; none when all is well. */
export function violations(sources: Sources, rules: Rules): string[] {
  return [...sources].flatMap(([path, text]) => {
    const { program, errors } = parseSync(path, text);
    const root = program as unknown as Node;
    const at = (node: Node, what: string) => `${path}:${lineOf(text, node.start)}: ${what}`;
    if (errors.length > 0) return [at(root, `does not parse: ${errors[0]?.message}`)];
    return [
      ...wrongName(path, root, rules).map((what) => at(root, what)),
      ...importsIn(root).flatMap((found) =>
        wrongImport(path, found, rules).map((what) => at(found.node, what)),
      ),
      ...(rules.deterministic.includes(areaOf(path) ?? '') ? impurities(root) : []).map(
        ([node, what]) => at(node, what),
      ),
    ];
  });
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function wrongName(path: string, program: Node, rules: Rules): string[] {
  const area = areaOf(path);
  const name = posix.basename(path);
  const found: string[] = [];
  if (area === undefined || rules.table[area] === undefined) {
    found.push(`'${area ?? path}' has no row in the import table (DESIGN.md, Layout)`);
  }
  if (/^utils?\.ts$/.test(name)) found.push(`no ${name}: name the file after what it holds`);
  if (path !== rules.libraryEntry && (name === 'index.ts' || onlyReExports(program))) {
    found.push('no barrel files: import from where it is defined');
  }
  return found;
}

function onlyReExports(program: Node): boolean {
  const body = program['body'] as Node[];
  const reExports = (node: Node) => /^Export(All|Named)/.test(node.type) && node['source'] != null;
  return (
    body.some(reExports) &&
    body.every((node) => node.type === 'ImportDeclaration' || reExports(node))
  );
}

function wrongImport(path: string, { specifier, typeOnly }: Import, rules: Rules): string[] {
  const from = areaOf(path) ?? path;
  const row = rules.table[from];
  if (row === undefined) return [];
  if (!specifier.startsWith('.')) return wrongPackage(from, specifier, rules);

  const target = posix.join(posix.dirname(path), specifier);
  if (target.endsWith('.json')) return [];
  if (!target.endsWith('.ts')) return [`'${specifier}': expected a path that ends in .ts`];
  const to = areaOf(target);
  if (to === from || (to !== undefined && row.uses.includes(to))) return [];
  if (to !== undefined && row.typesOf?.includes(to)) {
    return typeOnly ? [] : [`${from} may import only types of ${to}`];
  }
  return [`${from} may not import ${to ?? `'${specifier}'`}`];
}

function wrongPackage(from: string, specifier: string, rules: Rules): string[] {
  if (specifier === 'loadline') return ['a source may not import the package that it is part of'];
  const builtin = specifier.startsWith('node:') || BUILTINS.has(specifier.split('/')[0] ?? '');
  if (builtin && rules.deterministic.includes(from)) return [`${from} may not import ${specifier}`];
  if (rules.withoutPackages.includes(from)) return [`${from} may not import ${specifier}`];
  return [];
}

/** Every import there is: static, for types, exported again, `import()`, and `import('…').Type`. */
function importsIn(program: Node): Import[] {
  const found: Import[] = [];
  walk(program, (node) => {
    const source = node['source'] as Node | null | undefined;
    // A computed `import(url)` names no module: it is how a user's own scenario is loaded.
    if (typeof source?.['value'] !== 'string') return;
    found.push({ specifier: source['value'], typeOnly: isTypeOnly(node), node });
  });
  return found;
}

function isTypeOnly(node: Node): boolean {
  if (node.type === 'TSImportType') return true;
  if (node['importKind'] === 'type' || node['exportKind'] === 'type') return true;
  const specifiers = (node['specifiers'] ?? []) as Node[];
  return (
    specifiers.length > 0 &&
    specifiers.every((each) => each['importKind'] === 'type' || each['exportKind'] === 'type')
  );
}

function impurities(program: Node): [Node, string][] {
  const found: [Node, string][] = [];
  walk(program, (node, parent, field) => {
    const what = impurity(node, parent, field);
    if (what !== undefined) found.push([node, `${what} in code that must be deterministic`]);
  });
  return found;
}

function impurity(node: Node, parent: Node | undefined, field: string): string | undefined {
  if (node['async'] === true) return 'async';
  if (node.type === 'AwaitExpression' || node['await'] === true) return 'await';
  if (node.type === 'ImportExpression') return 'import()';
  if (node.type !== 'Identifier' || isOnlyAName(parent, field)) return undefined;
  const name = String(node['name']);
  if (name === 'Math') return chance(parent, field);
  return CLOCKS_AND_WAITING.has(name) ? name : undefined;
}

/** `lease.Date`, `{ Date: 1 }` and a member's declaration use the letters, not the thing. */
function isOnlyAName(parent: Node | undefined, field: string): boolean {
  if (parent === undefined || parent['computed'] === true) return false;
  return field === 'property' || field === 'key';
}

/** `Math.floor` is arithmetic; `Math.random` and a `Math` that is passed on are not. */
function chance(parent: Node | undefined, field: string): string | undefined {
  if (parent?.type !== 'MemberExpression' || field !== 'object' || parent['computed'] === true) {
    return 'Math that is not Math.<name>';
  }
  return (parent['property'] as Node)['name'] === 'random' ? 'Math.random' : undefined;
}

type Visit = (node: Node, parent: Node | undefined, field: string) => void;

function walk(node: Node, visit: Visit, parent?: Node, field = ''): void {
  visit(node, parent, field);
  for (const [name, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') walk(child, visit, node, name);
    }
  }
}
