/**
 * @module
 * Stryker on one group of sources: `npm run stryker -- GROUP [FILE…]`. It changes the sources at one place at a time and
 * runs the tests of the group that reach this place. Fails if they notice less than 90 % of the changes, if a change that
 * they do not notice has no explanation in survivors.yaml, or if an explanation is needless.
 */

import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { parse } from 'yaml';

import { GROUPS } from './groups.js';

const SCORE_MIN = 0.9;
const NOTICED = ['Killed', 'Timeout'];
const UNNOTICED = ['Survived', 'NoCoverage'];

const [name = '', ...files] = process.argv.slice(2);
const group = GROUPS[name];
if (group === undefined) {
  throw new Error(`"${name}" is no group: choose one of ${Object.keys(GROUPS).join(', ')}`);
}

const results = await new Stryker({
  mutate: files.length === 0 ? group.sources : files,
  testFiles: group.tests,
  testRunner: 'vitest',
  plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
  vitest: { configFile: 'test/stryker/vitest.config.js', related: false },
  coverageAnalysis: 'perTest',
  // A change of a table or a constant needs a run of all tests.
  ignoreStatic: true,
  concurrency: Number(process.env.STRYKER_THREADS ?? 2),
  timeoutMS: 10_000,
  tempDirName: 'build/stryker',
  // Stryker reads such a file with an older TypeScript. It need not.
  tsconfigFile: 'none.json',
  disableTypeChecks: false,
  allowConsoleColors: false,
  reporters: ['progress-append-only'],
}).runMutationTest();

const explanations = parse(readFileSync(new URL('survivors.yaml', import.meta.url), 'utf8'));
const tally = Object.entries(Object.groupBy(results, ({ fileName }) => relative('.', fileName)));
const problems = tally.flatMap(([path, mutants]) => judge(path, mutants));
const noticed = results.filter(({ status }) => NOTICED.includes(status)).length;
const all = noticed + results.filter(({ status }) => UNNOTICED.includes(status)).length;
const percent = ((100 * noticed) / all).toFixed(1);
console.log(`${name}: ${noticed} of ${all} changes are noticed (${percent} %)`);
if (noticed < SCORE_MIN * all) problems.push(`less than ${100 * SCORE_MIN} % are noticed`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

/** What is wrong with the mutants of a file. */
function judge(path, mutants) {
  const lines = readFileSync(path, 'utf8').split('\n');
  const unkilled = mutants
    .filter(({ status }) => [...UNNOTICED, 'Timeout'].includes(status))
    .map(({ location: { start }, replacement, status }) => {
      const line = lines[start.line - 1].trim();
      return { place: `${path}:${start.line}`, line, replacement, status };
    });
  const survivors = unkilled.filter(({ status }) => UNNOTICED.includes(status));
  const explained = explanations[path] ?? [];
  const explains = ({ line, changes }, survivor) =>
    line === survivor.line && (changes ?? [survivor.replacement]).includes(survivor.replacement);
  return [
    ...survivors
      .filter((survivor) => !explained.some((entry) => explains(entry, survivor)))
      .map(
        ({ place, line, replacement, status }) => `${place} ${status}: ${line} ⇒ ${replacement}`,
      ),
    ...explained
      // A change without effect can time out on a busy machine.
      .filter((entry) => !unkilled.some((survivor) => explains(entry, survivor)))
      .map(({ line }) => `${path}: needless explanation of ${line}`),
  ];
}
