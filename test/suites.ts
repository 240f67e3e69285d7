/**
 * @module
 * The suites. The name of a test says to which suite it belongs:
 *
 * - `*.test.ts` runs in the process of the tests, and is fast: the default suite.
 * - `*.mocked.test.ts` replaces a module of ours, and is otherwise the same.
 * - `*.process.test.ts` starts processes, threads, browsers or stores: the suite of the edges.
 * - `*.long.test.ts` computes for long: the suite of the edges.
 * - `*.slow.test.ts` is only in the slow suite, with every test that has more cases there.
 */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const MOCKED = 'test/**/*.mocked.test.ts';
export const PROCESS = 'test/**/*.process.test.ts';
export const LONG = 'test/**/*.long.test.ts';
export const SLOW = 'test/**/*.slow.test.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Paths of the tests that read one of these environment variables, or that import a module of the tests which does. */
export function testsThatRead(variables: readonly string[]): string[] {
  const paths = globSync('test/**/*.ts', {
    cwd: ROOT,
    exclude: ['**/node_modules', 'test/mutants'],
  });
  const texts = new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
  const read = new RegExp(`process\\.env\\.(${variables.join('|')})\\b`);
  const isReader = (path: string) => read.test(texts.get(path) ?? '');
  return [...texts].flatMap(([path, text]) => {
    const imports = [...text.matchAll(/ from '(\.[^']+)'/g)].map(([, name = '']) =>
      join(dirname(path), name),
    );
    return path.endsWith('.test.ts') && [path, ...imports].some(isReader) ? [path] : [];
  });
}
