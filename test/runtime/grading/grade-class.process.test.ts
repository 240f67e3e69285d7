/**
 * @module
 * One file that cannot be judged does not stop the others, and an error leaves no judge behind.
 */

import process from 'node:process';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { createInstance } from '../../../src/exercise/instance.ts';
import { gradeClass } from '../../../src/runtime/grading/grade-class.ts';
import { exerciseNamed, NO_SANDBOX, SECONDS } from '../sandbox/judged-files.ts';

const FILE = 'implement-chang-roberts.ts';
const SECRET = new Uint8Array(32).fill(7);

const filesOf = (files: Readonly<Record<string, string>>) =>
  new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)]));

const graded = (
  students: Readonly<Record<string, Readonly<Record<string, string>>>>,
  exercise = exerciseNamed('implement-chang-roberts'),
  onProgress: (done: number) => void = () => undefined,
) =>
  gradeClass(
    {
      exercises: [exercise],
      secret: SECRET,
      students: new Map(Object.entries(students).map(([name, files]) => [name, filesOf(files)])),
    },
    {
      judges: 2,
      seconds: SECONDS,
      signal: new AbortController().signal,
      onProgress,
      onSuspicion: () => undefined,
    },
  );

describe.skipIf(NO_SANDBOX !== null)('a class', { timeout: SECONDS * 1e3 }, () => {
  it('is graded beside a student whose files cannot be written', async () => {
    const results = await graded({
      mallory: { [FILE]: 'x', [`${FILE}/x.ts`]: 'x' },
      long: { [FILE]: 'x', [`${'x'.repeat(256)}.ts`]: 'x' },
      ada: { [FILE]: 'throw new Error("not yet")' },
    });

    const found = Object.fromEntries(
      results.map(({ student, status, tests }) => [student, [status, tests[0]?.detail]]),
    );
    expect(found).toEqual({
      mallory: ['not-graded', expect.stringMatching(/^the file \S+ cannot be written .*: E\w+$/)],
      long: ['not-graded', expect.stringMatching(/^the file x+\.ts cannot .*: ENAMETOOLONG$/)],
      ada: ['incorrect', expect.stringContaining('not yet')],
    });
  });

  it('leaves no judge behind after an error, also not a busy one', async () => {
    const judges: Worker[] = [];
    const note = (judge: Worker) => judges.push(judge);
    process.on('worker', note);

    const grading = graded(
      { mallory: { [FILE]: 'for (;;) {}' }, ada: { [FILE]: 'throw new Error("not yet")' } },
      undefined,
      () => {
        throw new TypeError('a bug');
      },
    );

    await expect(grading).rejects.toThrow('a bug');
    process.off('worker', note);
    expect(judges.map(({ threadId }) => threadId)).toEqual([-1, -1]);
  });
});

describe('a file with a bare number', () => {
  const exercise = exerciseNamed('choose-difficulty');
  const { honest, attempts, probability } = z
    .object({ honest: z.number(), attempts: z.number(), probability: z.number() })
    .parse(createInstance(exercise, { secret: SECRET, student: 'ada' }).goal.given);
  const bits = Math.ceil(Math.log2((attempts * (1 - probability)) / (honest * probability)));

  it.each([
    [`${bits}`, 'correct'],
    [` ${bits}\n`, 'correct'],
    [`{"type":"number","number":${bits}}`, 'correct'],
    [`${bits + 4}`, 'incorrect'],
    ['-1', 'incorrect'],
    [`"${bits}"`, 'incorrect'],
    [`[${bits}]`, 'incorrect'],
    ['NaN', 'incorrect'],
  ])('%j is %s as the answer to an exercise that asks for one', async (text, expected) => {
    const [result] = await graded({ ada: { 'choose-difficulty.json': text } }, exercise);

    expect({ text, status: result?.status }).toEqual({ text, status: expected });
  });

  it.each([
    [`{"type":"number","number":1,"number":${bits}}`, '/number: this name is given twice'],
    [`{"type":"number","number":1,"\\u006eumber":${bits}}`, '/number: this name is given twice'],
    [`{"type":"number",}`, 'line 1, column 18: expected name in double quotes, found "}"'],
  ])('%j is refused, as it is over HTTP', async (text, fault) => {
    const [result] = await graded({ ada: { 'choose-difficulty.json': text } }, exercise);

    expect(result).toMatchObject({ points: 0, tests: [{ detail: fault }] });
  });

  it('is no answer to an exercise that asks for more', async () => {
    const [result] = await graded({ ada: { 'worst-ring.json': '7' } }, exerciseNamed('worst-ring'));

    expect(result?.tests.map(({ detail }) => detail)).toEqual([
      'send a submission of the type ring',
    ]);
  });
});
