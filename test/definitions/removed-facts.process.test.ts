/**
 * @module
 * A definition without one of its facts does not compile. Each fact of each definition in the sources is
 * removed from a copy of its file, and the compiler checks all copies at once. The edges remove each fourth fact, another
 * one of each definition, and the slow suite all.
 */

import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { sampled } from '../sample.ts';
import { ROOT } from '../tidy/sources.ts';
import type { Edit } from './facts.ts';
import { definitionsIn, edited } from './facts.ts';

const DEFINES = /^define(Protocol|Behaviour|Defence|Detector|Property|Puzzle|IdRule)$/;

/** Stands in every copy, for facts that are stated in another file. */
const WITHOUT_FACT = `
type WithoutFact<T, P extends readonly unknown[]> = P extends readonly [infer K, ...infer R]
  ? R extends readonly []
    ? Omit<T, K & PropertyKey>
    : { [N in keyof T]: N extends K ? WithoutFact<T[N], R> : T[N] }
  : T;
declare function withoutFact<T, const P extends readonly string[]>(
  value: T,
  ...path: P
): WithoutFact<T, P>;
`;

const DEFINITIONS = globSync('src/**/*.ts', { cwd: ROOT, exclude: ['**/assembly/**'] })
  .sort()
  .flatMap((path) => definitionsIn(path, DEFINES).map((definition) => ({ path, ...definition })));

/** The copies of sources that the compiler checks. The number of a copy is its index. */
const copies: string[] = [];
const faulty = new Set<number>();

/** Adds a copy of a source after the edits. Its imports are absolute, because it is in another folder. */
function addCopy(path: string, edits: readonly Edit[]): number {
  const text = edited(path, edits).replaceAll(/(from ')(\.[^']+)'/g, (_all, from, name) => {
    return `${from}${resolve(ROOT, dirname(path), name)}'`;
  });
  return copies.push(text + WITHOUT_FACT) - 1;
}

const STEP = 4;

const CASES = DEFINITIONS.map(({ path, line, by, facts }, index) => ({
  name: `${by} at ${path}:${line}`,
  whole: addCopy(path, []),
  stated: facts.length,
  facts: sampled([...facts.slice(index % STEP), ...facts.slice(0, index % STEP)], STEP).map(
    (fact) => ({
      path: fact.path,
      copies: [
        addCopy(path, fact.edits),
        ...(fact.elsewhere === null ? [] : [addCopy(fact.elsewhere.path, fact.elsewhere.edits)]),
      ],
    }),
  ),
}));

function compileCopies(): void {
  mkdirSync(join(ROOT, 'build'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'build', 'removed-facts-'));
  try {
    for (const [number, text] of copies.entries()) {
      writeFileSync(join(folder, `copy-${number}.ts`), text);
    }
    const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false };
    const config = { extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    // After a syntax error the compiler looks for no other errors.
    const unreadable = stdout.split('\n').filter((line) => /error TS1[01]\d\d:/.test(line));
    if (unreadable.length > 0) throw new Error(unreadable.slice(0, 9).join('\n'));
    for (const [, number] of stdout.matchAll(/copy-(\d+)\.ts\(/g)) faulty.add(Number(number));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

beforeAll(compileCopies, 600_000);

describe('removing any single fact is a compile error', () => {
  it.each(CASES)('$name', ({ whole, stated, facts }) => {
    const unnoticed = facts.filter((fact) => !fact.copies.some((copy) => faulty.has(copy)));

    expect(faulty.has(whole), 'the whole definition compiles').toBe(false);
    expect(stated).toBeGreaterThan(4);
    expect(unnoticed.map(({ path }) => path)).toEqual([]);
  });
});
