/**
 * @module
 * `usurp exercise check`: an exercise of the catalogue has no fault, and the faults of copies are found.
 */

import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import {
  copiedAnswers,
  equalAnswers,
  oneCommand,
  wrongLeaks,
} from '../../../src/cli/exercise/check/check.ts';
import type { Attempt } from '../../../src/cli/exercise/check/http-scripts.ts';
import { createInstance } from '../../../src/exercise/instance.ts';
import { exerciseNamed, NO_SANDBOX } from '../../runtime/sandbox/judged-files.ts';
import { parsed, ROOT, scratchFolder, usurp } from '../shell.ts';

const check = (...words: readonly string[]) => usurp(['exercise', 'check', ...words]);

/** A copy of an exercise in which one file is changed. */
function changedCopy(name: string, file: string, change: (text: string) => string): string {
  const folder = join(scratchFolder(), name);
  cpSync(join(ROOT, 'exercises', name), folder, { recursive: true });
  writeFileSync(join(folder, file), change(readFileSync(join(folder, file), 'utf8')));
  return folder;
}

describe('usurp exercise check', () => {
  it('finds no fault in an exercise of the catalogue', async () => {
    const { code, stdout } = await check(
      join(ROOT, 'exercises/spoof-coordinator'),
      ...['--students', '3'],
    );

    expect(stdout).toMatch(/^wrong-nothing\.js +0 +0 +3 +0$/m);
    expect(stdout).toMatch(/^solution\.js +3 +0 +0 +0$/m);
    expect(stdout).toMatch(/\n\nno fault\n$/);
    expect(code).toBe(0);
  });

  it('reports a wrong solution that is right', async () => {
    const solution = readFileSync(join(ROOT, 'exercises/count-messages/solution.js'), 'utf8');
    const folder = changedCopy('count-messages', 'wrong-live-only.js', () => solution);

    const printed = await check(join(folder, 'exercise.yaml'), '--students', '2', '--json');

    const { leaks, ...checked } = parsed(printed);
    expect(printed.code).toBe(1);
    expect(checked).toMatchObject({ exercise: 'count-messages', students: 2 });
    expect(leaks).toEqual([
      {
        ...{ severity: 'fault', script: 'wrong-live-only.js' },
        detail: 'is correct for 2 students, first student-0',
      },
      {
        ...{ severity: 'warning', script: 'solution.js' },
        detail: expect.stringContaining('perhaps solvable by one command'),
      },
    ]);
  });

  it('reports a goal that is reached by doing nothing, and a solution that is wrong', async () => {
    const folder = changedCopy('choose-difficulty', 'exercise.yaml', (text) =>
      text
        .replace(/attemptsBits: .*/, 'attemptsBits: [1, 1]')
        .replace(/honest: .*/, 'honest: [9999, 9999]'),
    );

    const { code, stdout } = await check(folder, '--students', '1');

    expect(code).toBe(1);
    expect(stdout).toMatch(/^fault +doing nothing earns up to 30 points for 1 student/m);
    expect(stdout).toMatch(/^fault +solution\.js is not correct for 1 student/m);
  });

  it('submits the answer of each student for the next one, and warns if it is right', async () => {
    const folder = changedCopy('find-counterexample', 'exercise.yaml', (text) =>
      text
        // One node is up, so that there is one answer.
        .replace(/ring: \[1, .* 10\]/, 'ring: [1, 2]')
        .replace('crashedBefore: [10]', 'crashedBefore: [2]')
        .replace(/ring: \[1, 2, 3, 4\]\n +initiators: \[1, 2, 3\]/, 'ring: [1, 2]'),
    );
    for (const script of ['one-check', 'other-property'])
      rmSync(join(folder, `wrong-${script}.js`));

    const { stdout } = await check(folder, '--students', '2');

    expect(stdout).toMatch(/^warning +solution\.js copied answers: for 1 of 1 student/m);
  });

  it.skipIf(NO_SANDBOX !== null)('judges files in the sandbox', async () => {
    const folder = changedCopy('survive-stalling', 'wrong-impatient.ts', () => 'export {};\n');

    const { code, stdout } = await check(folder, '--students', '1');

    expect(stdout).toMatch(/^wrong-impatient\.ts +0 +0 +1 +0$/m);
    expect(stdout).toMatch(/^solution\.ts +1 +0 +0 +0$/m);
    expect(stdout).toMatch(/\n\nno fault\n$/);
    expect(code).toBe(0);
  });

  it('refuses a bad document with its position, and a folder without one', async () => {
    const folder = changedCopy('count-messages', 'exercise.yaml', (text) =>
      text.replace('difficulty: 2', 'difficulty: 7'),
    );

    const bad = await check(folder);

    expect(bad).toMatchObject({ code: 254, stdout: '' });
    expect(bad.stderr).toMatch(/exercise\.yaml:7:13: difficulty /);
    expect(await check(scratchFolder())).toMatchObject({ code: 254, stdout: '' });
    expect(await check()).toMatchObject({ code: 254, stdout: '' });
  });
});

describe('a wrong solution that earns points', () => {
  const attempts = (['partial', 'incorrect', 'partial'] as const).map(
    (status, index): Attempt => ({
      ...{ student: `student-${index}`, status, points: status === 'partial' ? 10 + index : 0 },
      ...{ missing: ['the fence'], submission: null, otherRequests: 0, isCopyRight: null },
    }),
  );

  it('is a warning with the points and the number of students', () => {
    expect(wrongLeaks('wrong-fence.js', attempts, { 'wrong-other': 20 })).toEqual([
      {
        ...{ severity: 'warning', script: 'wrong-fence.js' },
        detail:
          'earns up to 12 points for 2 students, first student-0; if that is intended, write "wrongPoints: { wrong-fence: 12 }" in the document',
      },
    ]);
    expect(wrongLeaks('wrong-fence.js', attempts, { 'wrong-fence': 11 })).toHaveLength(1);
  });

  it('is none if the document states that it is intended', () => {
    expect(wrongLeaks('wrong-fence.js', attempts, { 'wrong-fence': 12 })).toEqual([]);
  });
});

describe('the answers of a class', () => {
  const exercise = exerciseNamed('worst-ring');
  const instanceOf = (student: string) =>
    createInstance(exercise, { secret: new Uint8Array(32), student });
  const attemptOf = (student: string, submission: unknown): Attempt => ({
    ...{ student, submission, points: 30, missing: [], otherRequests: 0, isCopyRight: null },
    status: 'correct',
  });
  const ringOf = (student: string) => ({
    type: 'ring',
    ring: instanceOf(student).goal.given.nodeIds,
  });

  it('are equal if one has data of another instance', () => {
    const instances = new Map([
      ['ada', instanceOf('ada')],
      ['bob', instanceOf('bob')],
    ]);
    const own = [attemptOf('ada', ringOf('ada')), attemptOf('bob', ringOf('bob'))];
    const shared = new Map([...instances, ['bob', instanceOf('ada')]]);
    const copied = [attemptOf('ada', ringOf('ada')), attemptOf('bob', ringOf('ada'))];

    expect(equalAnswers('solution.js', own, instances)).toEqual([]);
    expect(equalAnswers('solution.js', copied, shared)).toEqual([
      expect.objectContaining({ severity: 'fault' }),
    ]);
  });

  it('are a warning if one is right for the next student', () => {
    const right = { ...attemptOf('bob', null), isCopyRight: true };
    const wrong = { ...attemptOf('cid', null), isCopyRight: false };

    expect(copiedAnswers('s', [attemptOf('ada', null), right, wrong])).toEqual([
      {
        ...{ severity: 'warning', script: 's' },
        detail:
          'copied answers: for 1 of 2 students, first bob, the answer of the student before is right',
      },
    ]);
    expect(copiedAnswers('s', [attemptOf('ada', null), wrong])).toEqual([]);
  });

  it('are a warning if all students have the same count', () => {
    const number = (value: number) => ({ type: 'number', number: value });
    const instances = new Map([
      ['ada', instanceOf('ada')],
      ['bob', instanceOf('bob')],
    ]);
    const of = (ada: number, bob: number) =>
      equalAnswers('s', [attemptOf('ada', number(ada)), attemptOf('bob', number(bob))], instances);

    expect(of(1, 2)).toEqual([]);
    expect(of(1, 1)).toEqual([expect.objectContaining({ severity: 'warning' })]);
  });

  it('may be those of one command if a solution makes at most one other request', () => {
    const made = (otherRequests: number) => ({ ...attemptOf('ada', null), otherRequests });

    expect(oneCommand('s', [made(1), made(0)])).toHaveLength(1);
    expect(oneCommand('s', [made(2), made(0)])).toEqual([]);
  });
});
