/** What k6's engine lacks, or what its programs cannot reach, as found in a parsed bundle. */
interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

const LATER_METHODS = new Set([
  'replaceAll',
  'at',
  'findLast',
  'findLastIndex',
  'toSorted',
  'toReversed',
  'toSpliced',
  'with',
  'groupBy',
  'hasOwn',
  'structuredClone',
]);
const NODE_GLOBALS = new Set([
  'process',
  'Buffer',
  'require',
  'fetch',
  'performance',
  'globalThis',
  'setImmediate',
  'Intl',
  'URL',
  'TextEncoder',
]);
const LATER_NODES: Readonly<Record<string, string>> = {
  ImportExpression: 'import()',
  PropertyDefinition: 'class fields',
  PrivateIdentifier: 'class fields',
  StaticBlock: 'static blocks',
  Decorator: 'decorators',
  TSEnumDeclaration: 'types',
};

/** The names of the constructs that are beyond k6; none when all is well. */
export function beyondK6(program: unknown): string[] {
  const found = new Set<string>();
  walk(program as Node, undefined, '', (node, parent, field) => {
    const what = beyond(node, parent, field);
    if (what !== undefined) found.add(what);
  });
  return [...found];
}

function beyond(node: Node, parent: Node | undefined, field: string): string | undefined {
  if (node.type === 'ForOfStatement' && node['await'] === true) return 'for await';
  if (node['async'] === true && node['generator'] === true) return 'async generator';
  if (node.type === 'AssignmentExpression' && /^(\?\?|\|\||&&)=$/.test(String(node['operator']))) {
    return String(node['operator']);
  }
  if (node.type === 'VariableDeclaration' && /using/.test(String(node['kind']))) return 'using';
  if (node.type === 'Identifier') return identifier(String(node['name']), parent, field);
  return LATER_NODES[node.type];
}

function identifier(name: string, parent: Node | undefined, field: string): string | undefined {
  const isMember = parent?.type === 'MemberExpression' && field === 'property';
  if (isMember) return LATER_METHODS.has(name) ? `.${name}` : undefined;
  return field !== 'key' && NODE_GLOBALS.has(name) ? name : undefined;
}

type Visit = (node: Node, parent: Node | undefined, field: string) => void;

function walk(node: Node, parent: Node | undefined, field: string, visit: Visit): void {
  visit(node, parent, field);
  for (const [name, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') walk(child, node, name, visit);
    }
  }
}
