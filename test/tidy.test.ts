/**
 * @module
 * The house rules as a test: walls between rooms, purity of the pure rooms, sizes, names, and the
 * few habits that neither the compiler nor the linter checks. A rule that matters is here.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Comment, Node } from 'acorn';
import { parse } from 'acorn';
import { describe, expect, it } from 'vitest';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const LINES_MAX = 400;
const FUNCTION_LINES_MAX = 70;
const TOP_LEVEL_FACTS = ['bytes.ts', 'errors.ts', 'random.ts'];

/** What each room may import besides itself and the facts at the top level of src. */
const WALLS: Readonly<Record<string, readonly string[]>> = {
  identity: [],
  mining: ['identity'],
  election: [],
  adversary: ['identity', 'mining', 'election'],
  simulation: ['election', 'adversary'],
  checking: ['election', 'adversary'],
  experiment: ['identity', 'mining', 'election', 'adversary', 'simulation', 'checking'],
};
const PURE_ROOMS = Object.keys(WALLS);
const BELOW_EVERYTHING = [...PURE_ROOMS, 'runtime'];

/** Time, randomness and the outside world are arguments in a pure room. */
const FORBIDDEN_IN_PURE_ROOMS: readonly RegExp[] = [
  /['"`]node:/,
  /\bprocess\./,
  /\bDate\.now\b/,
  /\bnew Date\b/,
  /\bperformance\b/,
  /\bMath\.random\b/,
  /\bset(Timeout|Interval|Immediate)\b/,
  /\bfetch\(/,
  /\bconsole\./,
];
const FORBIDDEN_NAMES = /^(utils?|helpers?|common|misc|types|index)$/;

interface Source {
  readonly path: string;
  readonly text: string;
  /** The text with comments blanked out, positions kept. */
  readonly code: string;
  readonly program: Node;
  readonly imports: readonly string[];
}

const SOURCES = ['src', 'server', 'bench', 'test']
  .flatMap((folder) => filesBelow(join(ROOT, folder)))
  .filter((path) => path.endsWith('.ts') && !path.includes('/assembly/'))
  .sort()
  .map(readSource);
const PRODUCT = SOURCES.filter(({ path }) => !path.startsWith('test/'));

describe('walls', () => {
  it.each(SOURCES.map((source) => [source.path, source] as const))('%s', (_path, source) => {
    const targets = source.imports.filter((name) => name.startsWith('.'));

    const crossings = targets.map((name) => wallCrossed(source.path, name)).filter(Boolean);

    expect(crossings).toEqual([]);
  });

  it('has no import cycle', () => {
    const graph = new Map(SOURCES.map((source) => [source.path, localTargets(source)]));

    expect(findCycle(graph)).toEqual([]);
  });

  it('keeps src/ to rooms and the shared facts', () => {
    const strays = SOURCES.filter(({ path }) => /^src\/[^/]+\.ts$/.test(path))
      .map(({ path }) => basename(path))
      .filter((name) => !TOP_LEVEL_FACTS.includes(name));

    expect(strays).toEqual([]);
  });
});

describe('pure rooms', () => {
  const pure = SOURCES.filter(({ path }) => PURE_ROOMS.includes(roomOf(path)));

  it.each(pure.map((source) => [source.path, source] as const))('%s', (_path, source) => {
    const spoken = FORBIDDEN_IN_PURE_ROOMS.filter((word) => word.test(source.code));

    expect(spoken).toEqual([]);
  });
});

describe('sizes and names', () => {
  it.each(SOURCES.map((source) => [source.path, source] as const))('%s', (path, source) => {
    const lines = source.text.trimEnd().split('\n').length;

    expect(lines, 'lines').toBeLessThanOrEqual(LINES_MAX);
    expect(basename(path)).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)*\.ts$/);
    expect(basename(path).split('.')[0]).not.toMatch(FORBIDDEN_NAMES);
    expect(source.text, 'opens with @module').toMatch(/^(#!.*\n)?\/\*\*\n \* @module\n/);
  });

  it.each(PRODUCT.map((source) => [source.path, source] as const))(
    'functions of %s are short',
    (_path, source) => {
      const long = functionsOf(source.program).filter(({ lines }) => lines > FUNCTION_LINES_MAX);

      expect(long).toEqual([]);
    },
  );
});

describe('the kernel, whose language only looks like TypeScript', () => {
  const folder = 'src/mining/kernel/assembly';
  const files = filesBelow(join(ROOT, folder)).filter((path) => path.endsWith('.ts'));

  it.each(files)('%s is short and says what it is', (path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');

    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(LINES_MAX);
    expect(text).toMatch(/^\/\*\*\n \* @module\n/);
  });
});

describe('habits', () => {
  it.each(SOURCES.map((source) => [source.path, source] as const))('%s', (path, source) => {
    const lines = source.text.split('\n');

    const unexplained = castLines(source).filter((line) => !isExplained(lines, line));

    expect(
      source.imports.filter((name) => /^\.{1,2}\//.test(name) && !/\.(ts|json)$/.test(name)),
    ).toEqual([]);
    expect(source.text).not.toMatch(/FIX[M]E/);
    if (!path.startsWith('test/')) expect(unexplained, 'casts without a reason').toEqual([]);
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

function readSource(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const comments: Comment[] = [];
  const program = parse(stripTypeScriptTypes(text), {
    ecmaVersion: 'latest',
    sourceType: 'module',
    allowHashBang: true,
    locations: true,
    onComment: comments,
  });
  let code = text;
  for (const { start, end } of comments) {
    code = code.slice(0, start) + code.slice(start, end).replace(/[^\n]/g, ' ') + code.slice(end);
  }
  // Type-only imports are walls too, so the sources are searched rather than the stripped tree.
  const imports = [...code.matchAll(/^(?:import|export)\b[^;]*?['"]([^'"]+)['"];$/gm)].map(
    ([, name]) => name ?? '',
  );
  return { path, text, code, program, imports };
}

function roomOf(path: string): string {
  const [top = '', room = ''] = path.split('/');
  if (top !== 'src') return top;
  return room.endsWith('.ts') ? 'facts' : room;
}

function resolveImport(from: string, name: string): string {
  return join(dirname(from), name);
}

function wallCrossed(from: string, name: string): string | null {
  const own = roomOf(from);
  const target = roomOf(resolveImport(from, name));
  if (own === target || target === 'facts' || own === 'test' || own === 'bench') return null;
  const allowed = WALLS[own] ?? (own === 'facts' ? [] : BELOW_EVERYTHING);
  // The command line starts the server; nothing else may know either of them.
  if (own === 'cli' && target === 'server') return null;
  return allowed.includes(target) ? null : `${own} may not import ${name}`;
}

function localTargets(source: Source): string[] {
  return source.imports
    .filter((name) => name.startsWith('.'))
    .map((name) => resolveImport(source.path, name));
}

function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): string[] => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return [];
    for (const target of graph.get(path) ?? []) {
      const cycle = visit(target, [...trail, path]);
      if (cycle.length > 0) return cycle;
    }
    done.add(path);
    return [];
  };
  for (const path of graph.keys()) {
    const cycle = visit(path, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

function functionsOf(node: unknown): { line: number; lines: number }[] {
  if (Array.isArray(node)) return node.flatMap(functionsOf);
  if (!isNode(node)) return [];
  const inner = Object.values(node).flatMap(functionsOf);
  if (!/Function/.test(node.type) || !node.loc) return inner;
  const { start, end } = node.loc;
  return [{ line: start.line, lines: end.line - start.line + 1 }, ...inner];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Lines of casts: `as T`, but not `as const`, an import's alias or a word in a string. */
function castLines(source: Source): number[] {
  return source.code.split('\n').flatMap((line, index) => {
    const bare = line.replace(/'[^']*'|"[^"]*"|`[^`]*`/g, '');
    const isAlias = /^\s*(import|export)\b/.test(bare);
    return / as (?!const\b)/.test(bare) && !isAlias ? [index] : [];
  });
}

/** A cast is explained by a comment on its line or on the line above. */
function isExplained(lines: readonly string[], index: number): boolean {
  const comment = /\/\/|\*\/|^\s*\*/;
  return comment.test(lines[index] ?? '') || comment.test(lines[index - 1] ?? '');
}
