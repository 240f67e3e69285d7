/**
 * @module
 * The house rules as a test: import rules, purity of the pure modules, sizes, folders, names, terms, and
 * the few habits that neither the compiler nor the linter checks. A rule that matters is here.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { MORE_CASES } from '../vitest.slow.config.ts';
import { MUTANTS } from './mutants/bugs/mutants.ts';
import { mutate } from './mutants/mutation.ts';
import { testsThatRead } from './suites.ts';
import {
  FOLDER_FILES_MAX,
  STILL_CIRCULAR,
  STILL_LARGE,
  STILL_WITHOUT_PURPOSE,
} from './tidy/folders.ts';
import type { Passage, Source } from './tidy/sources.ts';
import { filesBelow, ROOT, readSource, TOP_FOLDERS } from './tidy/sources.ts';
import { PLAIN, RETIRED, UNPLAIN } from './tidy/terms.ts';

const LINES_MAX = 600;
const FUNCTION_LINES_MAX = 70;
const SHARED_BASICS = ['bytes', 'errors', 'printable', 'quantities', 'random', 'schema'];

/** What each module may import besides itself and the shared basics at the top level of src, as ARCHITECTURE.md has it. */
const IMPORTS_ALLOWED: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [
    ...readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8').matchAll(
      /^\| `src\/([a-z]+)` \|.*\| ?([a-z, ]*) ?\|$/gm,
    ),
  ].map(([, module = '', imports = '']) => [module, imports.split(',').flatMap(wordIn)]),
);

function wordIn(text: string): string[] {
  return text.trim() === '' ? [] : [text.trim()];
}

/** These modules have access to the outside. */
const IMPURE_MODULES = ['runtime', 'live', 'library'];
const PURE_MODULES = Object.keys(IMPORTS_ALLOWED).filter((name) => !IMPURE_MODULES.includes(name));
const BELOW_ALL = [...PURE_MODULES, ...IMPURE_MODULES];
/** The browser lab has pure code and the API. Its types of the API are built. */
const WEB = 'web';

/** What each folder of a module may import from the same module besides itself. */
const ALLOWED_INSIDE: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  simulation: {
    faults: [],
    plan: ['faults'],
    engine: ['faults'],
    detection: ['engine', 'plan', 'faults'],
    cast: ['plan', 'faults'],
    trace: ['engine', 'plan', 'faults'],
    run: ['trace', 'cast', 'detection', 'engine', 'plan', 'faults'],
    conform: ['run', 'trace', 'detection', 'engine', 'plan', 'faults'],
    report: ['run', 'trace', 'detection', 'engine', 'plan', 'faults'],
    request: ['report', 'run', 'trace', 'detection', 'engine', 'plan', 'faults'],
    scenarios: ['run', 'trace', 'detection', 'engine', 'plan', 'faults'],
  },
  experiment: {
    theory: [],
    properties: ['theory'],
    document: ['properties', 'theory'],
    staging: ['document', 'properties'],
    cost: ['staging', 'document', 'theory'],
    reading: ['staging', 'document', 'properties'],
    epochs: ['properties', 'theory'],
    attack: ['staging', 'document', 'properties'],
    checks: ['theory'],
    response: ['document', 'properties', 'theory'],
    runs: ['response', 'epochs', 'staging', 'document', 'properties', 'theory'],
    verdict: ['cost', 'runs', 'response', 'reading', 'document', 'properties', 'theory'],
    churn: ['charts', 'sweep'],
    detectors: ['charts', 'sweep', 'theory'],
    elections: ['charts', 'sweep', 'theory'],
    design: ['charts', 'reading', 'document', 'theory', 'cost', 'properties'],
    sweep: ['verdict', 'cost', 'runs', 'response', 'reading', 'document'],
    charts: ['sweep', 'verdict', 'runs', 'reading', 'document', 'properties'],
    compare: [
      ...['charts', 'sweep', 'design', 'verdict', 'cost', 'runs', 'response', 'reading'],
      ...['staging', 'document', 'properties', 'theory'],
    ],
  },
};

/** Time, randomness and the outside world are arguments in a pure module. */
const FORBIDDEN_IN_PURE_MODULES: readonly RegExp[] = [
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
const FILE_NAME = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)*\.tsx?$/;
const MODULE_COMMENT = /^(#!.*\n)?\/\*\*\n \* @module\n/;
const FORBIDDEN_NAMES = /^(utils?|helpers?|common|misc|types|index)$/;

const SOURCES = TOP_FOLDERS.flatMap(filesBelow)
  .filter((path) => /\.tsx?$/.test(path) && !path.includes('/assembly/'))
  .map(readSource);
const PRODUCT = SOURCES.filter(({ path }) => !path.startsWith('test/'));

describe('import rules', () => {
  it('hold for every source', () => {
    const forbidden = SOURCES.flatMap(({ path, imports }) =>
      imports
        .filter((name) => name.startsWith('.'))
        .flatMap((name) => forbiddenImport(path, name) ?? [])
        .map((problem) => `${path}: ${problem}`),
    );

    expect(forbidden).toEqual([]);
  });

  it.each(Object.keys(ALLOWED_INSIDE))('state an order of the folders of src/%s', (name) => {
    const inside = SOURCES.filter(({ path }) => path.startsWith(`src/${name}/`));
    const folders = new Set(inside.map(({ path }) => path.split('/')[2]));

    expect([...folders].sort()).toEqual(Object.keys(ALLOWED_INSIDE[name] ?? {}).sort());
  });

  it('has no import cycle', () => {
    const graph = new Map(SOURCES.map((source) => [source.path, localTargets(source)]));

    expect(findCycle(graph)).toEqual([]);
  });

  it('keeps src/ to modules and the shared basics', () => {
    const others = SOURCES.filter(({ path }) => /^src\/[^/]+\.ts$/.test(path))
      .map(({ path }) => basename(path, '.ts'))
      .filter((name) => !SHARED_BASICS.includes(name));

    expect(others).toEqual([]);
  });
});

describe('pure modules', () => {
  it('use neither clock, randomness nor the outside world', () => {
    const pure = SOURCES.filter(({ path }) => PURE_MODULES.includes(moduleOf(path)));

    const found = pure.flatMap(({ path, code }) =>
      FORBIDDEN_IN_PURE_MODULES.filter((word) => word.test(code)).map((word) => `${path}: ${word}`),
    );

    expect(pure.length).toBeGreaterThan(400);
    expect(found).toEqual([]);
  });
});

describe('sizes and names', () => {
  it(`of files: at most ${LINES_MAX} lines, in kebab case, with a comment at the top`, () => {
    const pathsWithout = (rule: (source: Source) => boolean) =>
      SOURCES.filter((source) => !rule(source)).map(({ path }) => path);

    expect(
      pathsWithout(({ text }) => text.trimEnd().split('\n').length <= LINES_MAX),
      'lines',
    ).toEqual([]);
    expect(
      pathsWithout(({ path }) => FILE_NAME.test(basename(path))),
      'names',
    ).toEqual([]);
    expect(
      pathsWithout(({ path }) => !FORBIDDEN_NAMES.test(basename(path).split('.')[0] ?? '')),
      'forbidden names',
    ).toEqual([]);
    expect(
      pathsWithout(({ text }) => MODULE_COMMENT.test(text)),
      'begin with @module',
    ).toEqual([]);
  });

  it(`of functions: at most ${FUNCTION_LINES_MAX} lines`, () => {
    const long = PRODUCT.flatMap(({ path, functions }) =>
      functions
        .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
        .map(({ line, lines }) => `${path}:${line} has ${lines} lines`),
    );

    expect(long).toEqual([]);
  });
});

describe('folders', () => {
  const folders = Map.groupBy(SOURCES, ({ path }) => dirname(path));
  const files = Map.groupBy(TOP_FOLDERS.flatMap(filesBelow), dirname);

  it(`have at most ${FOLDER_FILES_MAX} files`, () => {
    const large = [...folders.keys()].filter(
      (folder) => (files.get(folder)?.length ?? 0) > FOLDER_FILES_MAX,
    );

    expectOnly(large, STILL_LARGE);
  });

  it('that are side by side do not import each other', () => {
    expectOnly(mutualImports(), STILL_CIRCULAR);
  });

  it('have one file whose @module comment states their purpose', () => {
    const product = [...folders].filter(([folder]) => /^(src|server)\//.test(folder));

    const without = product.filter(([, sources]) => sources.filter(statesPurpose).length !== 1);

    expectOnly(
      without.map(([folder]) => folder),
      STILL_WITHOUT_PURPOSE,
    );
  });
});

describe('terms', () => {
  const identifiers = new Set(SOURCES.flatMap(({ bare }) => bare.match(/[A-Za-z_$][\w$]*/g) ?? []));
  const parts = [...identifiers].map((name) => [name, ` ${wordsOf(name).join(' ')} `] as const);

  it('that are retired occur in no identifier', () => {
    const used = RETIRED.map(({ term, use }) => {
      const words = ` ${wordsOf(term).join(' ')} `;
      const names = parts.flatMap(([name, text]) => (text.includes(words) ? [name] : []));
      return { term, use, names };
    });

    expect(
      used.filter(({ names }) => names.length > 0),
      'retired terms, each with the term to use',
    ).toEqual([]);
  });

  it.each(PLAIN)('in the prose of %s are plain', (scope) => {
    const unplain = passagesOf(scope).filter(({ text }) => UNPLAIN.some((word) => word.test(text)));

    expect(unplain).toEqual([]);
  });
});

describe('documents', () => {
  const documents = globSync('{*.md,docs/**/*.md,threat-models/**/*.yaml}', { cwd: ROOT });

  it('contain no mark of a merge', () => {
    const marked = documents.filter((path) =>
      /^(<{7} |={7}$|>{7} )/m.test(readFileSync(join(ROOT, path), 'utf8')),
    );

    expect(documents).toContain(join('docs', 'http.md'));
    expect(marked).toEqual([]);
  });
});

describe('the kernel, whose language only looks like TypeScript', () => {
  const folder = 'src/mining/kernel/assembly';
  const files = filesBelow(folder).filter((path) => path.endsWith('.ts'));

  it(`has at most ${FOLDER_FILES_MAX} files in a folder`, () => {
    const sizes = [...Map.groupBy(filesBelow(folder), dirname).values()].map(
      ({ length }) => length,
    );

    expect(Math.max(...sizes)).toBeLessThanOrEqual(FOLDER_FILES_MAX);
  });

  it.each(files)('%s is short and begins with @module', (path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');

    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(LINES_MAX);
    expect(text).toMatch(/^\/\*\*\n \* @module\n/);
  });
});

describe.skipIf(!existsSync(join(ROOT, '.git')))('commits', () => {
  it('have imperative subjects of at most 72 characters', () => {
    const log = execFileSync('git', ['log', '-30', '--format=%s'], { cwd: ROOT, encoding: 'utf8' });

    const others = log
      .trim()
      .split('\n')
      .filter((subject) => subject.length > 72 || !IMPERATIVE.test(subject));

    expect(others).toEqual([]);
  });
});

/** A verb that is no participle, such as "Add" or "Merge". */
const IMPERATIVE = /^(?!(?!Bring|Need|Feed|Embed|Shed)[A-Z][a-z]*(?:ed|ing)\b)[A-Z][a-z]+,? /;

/** Starts a process, a thread or a browser, directly or by a function of the tests. */
const STARTS_PROCESS = /\b(spawn|spawnUsurp|usurp|startChromium)\(|\bnew Worker\(/;

describe('suites', () => {
  const tests = SOURCES.filter(({ path }) => path.endsWith('.test.ts'));

  it('have the tests whose names say so', () => {
    const unknown = tests.filter(
      ({ path }) => !/^[^.]+(\.(process|long|mocked|slow))?\.test\.ts$/.test(basename(path)),
    );
    const fast = tests.filter(({ path }) => /^[^.]+\.test\.ts$/.test(basename(path)));
    const starting = fast.filter(({ bare }) => STARTS_PROCESS.test(bare));
    const replacing = tests.filter(({ bare }) => /\bvi\.mock\(/.test(bare));

    expect(unknown.map(({ path }) => path)).toEqual([]);
    expect(
      starting.map(({ path }) => path),
      'start a process',
    ).toEqual([]);
    expect(replacing).toEqual(tests.filter(({ path }) => path.endsWith('.mocked.test.ts')));
  });

  it.each(Object.keys(MORE_CASES))('read %s', (variable) => {
    expect(testsThatRead([variable])).not.toEqual([]);
  });
});

describe('seeded bugs', () => {
  it.each(MUTANTS)('of $file still exist: $name', (mutant) => {
    const source = readFileSync(join(ROOT, mutant.file), 'utf8');

    expect(mutate(source, mutant)).not.toBe(source);
  });
});

describe('habits', () => {
  it('name imported files with their ending', () => {
    const without = SOURCES.flatMap(({ path, imports }) =>
      imports
        .filter((name) => /^\.{1,2}\//.test(name) && !/\.(tsx?|json|css|wasm\?url)$/.test(name))
        .map((name) => `${path}: ${name}`),
    );

    expect(without).toEqual([]);
  });

  it('leave no work undone', () => {
    const undone = SOURCES.filter(({ text }) => /FIX[M]E/.test(text)).map(({ path }) => path);

    expect(undone).toEqual([]);
  });

  it('give the reason of every cast', () => {
    const unexplained = PRODUCT.flatMap((source) => {
      const lines = source.text.split('\n');
      return castLines(source)
        .filter((line) => !isExplained(lines, line))
        .map((line) => `${source.path}:${line + 1}`);
    });

    expect(unexplained).toEqual([]);
  });
});

/** Passes if what breaks a rule is exactly what may still break it. */
function expectOnly(breaking: readonly string[], allowed: readonly string[]): void {
  expect(
    breaking.filter((name) => !allowed.includes(name)),
    'break the rule',
  ).toEqual([]);
  expect(
    allowed.filter((name) => !breaking.includes(name)),
    'keep the rule now: remove these from the list of those that do not',
  ).toEqual([]);
}

/** Pairs of folders, neither inside the other, with imports in both directions. */
function mutualImports(): string[] {
  const pairs = new Set(
    PRODUCT.flatMap((source) =>
      localTargets(source).map((target) => `${dirname(source.path)} ${dirname(target)}`),
    ),
  );
  return [...pairs].flatMap((pair) => {
    const [one = '', other = ''] = pair.split(' ');
    const isNested = one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
    return one < other && !isNested && pairs.has(`${other} ${one}`) ? [`${one} and ${other}`] : [];
  });
}

function statesPurpose({ text }: Source): boolean {
  const comment = text.slice(0, text.indexOf('*/')).replace(/\n \*/g, '');
  return /(@module|[.:]) This folder [^.]+[.:]/.test(comment);
}

/** The words of an identifier, in lower case. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _]+/);
}

/** The prose of a document, of a source, or of all of them in a folder. */
function passagesOf(scope: string): (Passage & { path: string })[] {
  const isIn = (path: string) => path === scope || path.startsWith(`${scope}/`);
  const sources = SOURCES.filter(({ path }) => isIn(path));
  const documents = /\.(md|yaml|json)$/.test(scope)
    ? [{ path: scope, prose: linesOf(readFileSync(join(ROOT, scope), 'utf8')) }]
    : [];
  return [...sources, ...documents].flatMap(({ path, prose }) =>
    prose.map((passage) => ({ path, ...passage })),
  );
}

function linesOf(text: string): Passage[] {
  return text.split('\n').map((line, index) => ({ line: index + 1, text: line }));
}

function moduleOf(path: string): string {
  const [top = '', name = ''] = path.split('/');
  if (path.startsWith('server/web/')) return WEB;
  if (top !== 'src') return top;
  return name.endsWith('.ts') ? 'basics' : name;
}

function resolveImport(from: string, name: string): string {
  return join(dirname(from), name);
}

function forbiddenImport(from: string, name: string): string | null {
  const own = moduleOf(from);
  const target = moduleOf(resolveImport(from, name));
  if (own === target && from.startsWith('src/')) return forbiddenInside(own, from, name);
  if (own === target || target === 'basics' || own === 'test' || own === 'bench') return null;
  const below = own === WEB ? [...PURE_MODULES, 'build'] : BELOW_ALL;
  const allowed = IMPORTS_ALLOWED[own] ?? (own === 'basics' ? [] : below);
  // The command line starts the server. No other module may import either of them.
  if (own === 'cli' && target === 'server') return null;
  // Without a server, the API in a thread of the browser and its page exchange these messages.
  if (name.endsWith('/web/api/lab-messages.ts')) return null;
  return allowed.includes(target) ? null : `${own} may not import ${name}`;
}

function forbiddenInside(module: string, from: string, name: string): string | null {
  const folderOf = (path: string) => path.split('/')[2] ?? '';
  const own = folderOf(from);
  const target = folderOf(resolveImport(from, name));
  const allowed = ALLOWED_INSIDE[module]?.[own];
  if (allowed === undefined || own === target || allowed.includes(target)) return null;
  return `${module}/${own} may not import ${name}`;
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
