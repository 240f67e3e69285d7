/**
 * @module
 * One file that cannot be judged does not stop the others, and an error leaves no judge behind.
 */

import process from 'node:process';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { gradeClass } from '../../../src/runtime/grading/grade-class.ts';
import { exerciseNamed, NO_SANDBOX, SECONDS } from '../sandbox/judged-files.ts';

const FILE = 'implement-chang-roberts.ts';
const SECRET = new Uint8Array(32).fill(7);

const filesOf = (files: Readonly<Record<string, string>>) =>
  new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)]));

const graded = (
  students: Readonly<Record<string, Readonly<Record<string, string>>>>,
  onProgress: (done: number) => void = () => undefined,
) =>
  gradeClass(
    {
      exercises: [exerciseNamed('implement-chang-roberts')],
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
      () => {
        throw new TypeError('a bug');
      },
    );

    await expect(grading).rejects.toThrow('a bug');
    process.off('worker', note);
    expect(judges.map(({ threadId }) => threadId)).toEqual([-1, -1]);
  });
});
