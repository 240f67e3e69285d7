/**
 * @module
 * Files of students that are judged, in tests of the sandbox.
 */

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';

import { afterAll, beforeAll, describe } from 'vitest';

import type { ProtocolName } from '../../../src/election/registry.ts';
import type { Exercise } from '../../../src/exercise/document.ts';
import { readExercises } from '../../../src/runtime/files/exercises.ts';
import { inScratchFolder } from '../../../src/runtime/files/scratch-folder.ts';
import { sandboxFault, startConfined } from '../../../src/runtime/sandbox/bubblewrap.ts';
import type { FileOutcome } from '../../../src/runtime/sandbox/judges.ts';
import { Judges } from '../../../src/runtime/sandbox/judges.ts';
import { neededSources } from '../../../src/runtime/sandbox/submitted-definition.ts';

const EXERCISES = await readExercises();

/** Why these tests are skipped: no sandbox can be started here. */
export const NO_SANDBOX = sandboxFault();
if (NO_SANDBOX !== null) {
  process.stderr.write(`tests of submitted files are skipped: ${NO_SANDBOX}\n`);
}

/** Far more than a judge needs, also on a loaded machine. */
export const SECONDS = 300;

/**
 * Tests of submitted files, which are skipped where no sandbox can be started. The judges are there when a test runs, and
 * end after the last one.
 */
export function describeJudged(
  name: string,
  define: (judges: () => Judges) => void,
  seconds = SECONDS,
): void {
  describe.skipIf(NO_SANDBOX !== null)(name, { timeout: seconds * 1e3 }, () => {
    let judges: Judges;
    beforeAll(() => {
      judges = judgesFor();
    });
    afterAll(() => judges.close());
    define(() => judges);
  });
}

/** The text of a file of an exercise. */
export function textOf(path: string): string {
  return readFileSync(new URL(`../../../exercises/${path}`, import.meta.url), 'utf8');
}

/** The exercise of this name. */
export function exerciseNamed(name: string): Exercise {
  const found = EXERCISES.find((each) => each.name === name);
  if (found === undefined) throw new TypeError(`"name" expected an exercise, got ${name}`);
  return found;
}

/** Judges that stop after the given time. */
export function judgesFor(seconds = SECONDS): Judges {
  return new Judges({ seconds, signal: new AbortController().signal });
}

/** The outcome of one file for one student. */
export async function judge(judges: Judges, text: string): Promise<FileOutcome> {
  const [outcome] = await judgeForAll(judges, text, ['alice']);
  if (outcome === undefined) throw new TypeError('"outcome" expected one');
  return outcome;
}

/** The outcomes of one file for these students. */
export function judgeForAll(
  judges: Judges,
  text: string,
  students: readonly string[],
  exercise = 'implement-chang-roberts',
  others: Readonly<Record<string, string>> = {},
): Promise<readonly FileOutcome[]> {
  const files = Object.entries({ ...others, 'submission.ts': text });
  return judges.grade({
    exercise: exerciseNamed(exercise),
    secret: new Uint8Array(32).fill(7),
    ...{ students, file: 'submission.ts' },
    files: new Map(files.map(([path, each]) => [path, new TextEncoder().encode(each)])),
  });
}

/** The points of a grade, and what is missing. */
export function summary(outcome: FileOutcome): {
  readonly points: number;
  readonly missing: string;
} {
  if (outcome.outcome === 'not-graded') return { points: 0, missing: outcome.reason };
  const missing = outcome.grade.findings.filter(({ met }) => !met).map(({ detail }) => detail);
  return { points: outcome.grade.points, missing: missing.join('\n') };
}

const REPORT_BYTES_MAX = 60_000;

interface Held {
  readonly around?: ProtocolName | null;
  /** Other files of the submission, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** What code reports that runs in the sandbox of a submission, without the script of usurp around it. */
export function heldInSandbox(
  code: string,
  { around = null, files = {} }: Held = {},
): Promise<string> {
  return inScratchFolder('usurp-sandbox-', async (folder) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const report = `import { writeSync } from 'node:fs';\nconst report = (text) => writeSync(4, text);\n`;
    writeFileSync(join(folder, 'hostile.mjs'), `${report}${code}`);
    spawnSync('mkfifo', [join(folder, 'pipe')]);
    const pipe = openSync(join(folder, 'pipe'), constants.O_RDWR | constants.O_NONBLOCK);
    const child = startConfined({
      ...{ submission: folder, sources: neededSources(around).sources },
      ...{
        script: '../submission/hostile.mjs',
        args: [],
        requests: pipe,
        answers: pipe,
        limits: 'first',
      },
    });
    await once(child, 'exit');
    const bytes = Buffer.alloc(REPORT_BYTES_MAX);
    const length = readSync(pipe, bytes);
    closeSync(pipe);
    return bytes.toString('utf8', 0, length);
  });
}
