/**
 * @module
 * `usurp grade`: what is graded, the reports, their independence of the machine, and the exit codes.
 */

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import type { StudentResults } from '../../../src/exercise/grading.ts';
import { printableResults } from '../../../src/exercise/grading.ts';
import { createInstance } from '../../../src/exercise/instance.ts';
import { exerciseNamed, NO_SANDBOX } from '../../runtime/sandbox/judged-files.ts';
import { scratchFolder, usurp } from '../shell.ts';

const SECRET = new Uint8Array(32).fill(7);
const folder = scratchFolder();
const secretFile = join(folder, 'course-secret');
writeFileSync(secretFile, `${Buffer.from(SECRET).toString('hex')}\n`, { mode: 0o600 });

const FORMULA = '=HYPERLINK(1)';
const MARKUP = '<b>&"ada"';

function hand(root: string, student: string, name: string, content: unknown): void {
  mkdirSync(join(folder, root, student), { recursive: true });
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(join(folder, root, student, name), text);
}

/** The solution of worst-ring of a student. */
function ringOf(student: string) {
  const { goal } = createInstance(exerciseNamed('worst-ring'), { secret: SECRET, student });
  const { nodeIds } = goal.given;
  return { type: 'ring', ring: (nodeIds as string[]).toSorted().reverse() };
}

hand('class', 'ada', 'worst-ring.json', ringOf('ada'));
hand('class', 'bob', 'worst-ring.json', ringOf('ada'));
hand('class', FORMULA, 'worst-ring.json', { ...ringOf(FORMULA), score: 100 });
hand('class', MARKUP, 'worst-ring.json', '{"__proto__": {"type": "ring"}}');
hand('class', 'eve', 'notes.txt', 'nothing');

const grade = (root: string, out: string, ...words: readonly string[]) =>
  usurp([
    ...['grade', join(folder, root), '--course-secret', secretFile],
    ...['--out', join(folder, out), ...words],
  ]);

const filesIn = (out: string) => {
  const root = join(folder, out);
  const paths = globSync('**/*.*', { cwd: root }).toSorted();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
};

describe('usurp grade', () => {
  it('grades each student by the own instance, and reports it in every form', async () => {
    const { code, stdout, stderr } = await grade('class', 'out');

    expect(code).toBe(0);
    expect(stderr).toContain('worst-ring of bob has data of ada, and gets no points');
    expect(stderr.match(/has data of/g)).toHaveLength(1);
    expect(stdout).toMatch(/^ada +worst-ring +correct +30\/30$/m);
    expect(stdout).toMatch(/^bob +worst-ring +incorrect +0\/30$/m);
    const files = filesIn('out');
    expect(Object.keys(files)).toHaveLength(3 + 5 * 2);
    expect(files['grades.csv']).toContain('ada,worst-ring,correct,30,30,\n');
    expect(files['grades.csv']).toContain("\n'=HYPERLINK(1),worst-ring,incorrect,0,30,");
    expect(files['grades.csv']).toContain('\neve,worst-ring,missing,,30,');
    expect(files['junit.xml']).toContain(
      '<testsuite name="&lt;b&gt;&amp;&quot;ada&quot;" tests="1"',
    );
    const ctrf = JSON.parse(files['ctrf.json'] ?? '');
    const { passed, failed, skipped } = ctrf.results.summary;
    expect({ passed, failed, skipped }).toEqual({ passed: 1, failed: 3, skipped: 1 });
    const gradescope = JSON.parse(files['students/ada/results.json'] ?? '');
    expect(gradescope).toMatchObject({ score: 30, visibility: 'visible' });
    expect(gradescope.tests.map((test: { score: number }) => test.score)).toEqual([30]);
    const classroom = JSON.parse(files['students/bob/classroom.json'] ?? '');
    expect(classroom).toMatchObject({ status: 'fail', points: '0/30', max_score: 30 });
    expect(JSON.stringify(files)).not.toMatch(/duration": [1-9]|[0-9]{4}-[0-9]{2}-[0-9]{2}T/);
  });

  it('writes the same bytes in another time zone and language, with another number of workers', async () => {
    await grade('class', 'one', '--workers', '1');
    const program = fileURLToPath(new URL('../../../bin/usurp.js', import.meta.url));
    const { status } = spawnSync(
      process.execPath,
      [
        ...[program, 'grade', join(folder, 'class'), '--course-secret', secretFile],
        ...['--out', join(folder, 'other'), '--workers', '3', '--quiet'],
      ],
      { env: { ...process.env, TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR' } },
    );

    expect(status).toBe(0);
    expect(filesIn('other')).toEqual(filesIn('one'));
  });

  it('exits with 0 if all is graded, and with 2 if the record of a server is needed', async () => {
    hand('solved', 'ada', 'worst-ring.json', ringOf('ada'));
    hand('unknown', 'ada', 'spoof-coordinator.json', { type: 'elections' });

    const unknown = await grade('unknown', 'out-unknown');

    expect((await grade('solved', 'out-solved')).code).toBe(0);
    expect(unknown.code).toBe(2);
    expect(filesIn('out-unknown')['grades.csv']).toMatch(/not-graded,,30,only the server that has/);
  });

  it('grades a class in which one student has a link and a file that is too large', async () => {
    hand('mixed', 'ada', 'worst-ring.json', ringOf('ada'));
    hand('mixed', 'ada', 'film.json', 'x'.repeat(2 ** 20 + 1));
    hand('mixed', 'bob', 'notes.txt', 'nothing');
    symlinkSync('/etc/hostname', join(folder, 'mixed', 'bob', 'worst-ring.json'));

    const { code, stdout, stderr } = await grade('mixed', 'out-mixed');

    expect(code).toBe(0);
    expect(stdout).toMatch(/^ada +worst-ring +correct +30\/30$/m);
    expect(stdout).toMatch(/^bob +worst-ring +incorrect +0\/30$/m);
    expect(stderr).toContain('left out: "ada/film.json" has more than 1048576 bytes');
    expect(filesIn('out-mixed')['grades.csv']).toContain('cannot be graded: ');
    expect(filesIn('out-mixed')['grades.csv']).toContain('is a link; submit the file itself');
  });

  it('grades a class in which one student has too many files', async () => {
    hand('flooded', 'ada', 'worst-ring.json', ringOf('ada'));
    hand('flooded', 'evil', 'worst-ring.json', ringOf('evil'));
    for (let file = 0; file < 2_000; file += 1) hand('flooded', 'evil', `${file}.txt`, '');

    const { code, stdout, stderr } = await grade('flooded', 'out-flooded');

    expect(code).toBe(0);
    expect(stdout).toMatch(/^ada +worst-ring +correct +30\/30$/m);
    expect(stdout).toMatch(/^evil +worst-ring +incorrect +0\/30$/m);
    expect(stderr).toContain('left out: "evil" has more than 2000 files');
    expect(filesIn('out-flooded')['grades.csv']).toContain('""evil"" has more than 2000 files');
  });

  it('names files whose names are probably mistakes', async () => {
    hand('misnamed', 'ada', 'worst-ring.json', ringOf('ada'));
    hand('misnamed', 'ada', 'worst-ring-old.json', '{}');
    hand('misnamed', 'bob', 'Predict_Cost.json', '{}');
    hand('misnamed', 'cem/x', 'worst-ring.json', '{}');
    hand('misnamed', 'eli', 'predict-cost.json.txt', '{}');
    hand('misnamed', 'dan', 'qwertyuiop.json', '{}');

    const { stderr } = await grade('misnamed', 'out-misnamed');

    const named = [
      '"bob/Predict_Cost.json" is no submission; did you mean bob/predict-cost.json?',
      '"cem/x/worst-ring.json" is no submission; did you mean cem/worst-ring.json?',
      '"eli/predict-cost.json.txt" is no submission; did you mean eli/predict-cost.json?',
      '"dan/qwertyuiop.json" is no submission: there is no exercise "qwertyuiop"',
    ];
    for (const text of named) expect(stderr).toContain(text);
    expect(stderr).not.toContain('worst-ring-old');
    const grades = filesIn('out-misnamed')['grades.csv'];
    expect(grades).toMatch(/bob,predict-cost,missing,,20,.*did you mean predict-cost\.json/);
    expect(grades).toMatch(/cem,worst-ring,missing,,30,.*did you mean worst-ring\.json/);
  });

  it('writes no control character of a name to the terminal or into a report', async () => {
    hand('escapes', 'a\u001b[2J\u0007\u202Eb', 'worst-ring.json', 'no JSON');

    const { stdout, stderr } = await grade('escapes', 'out-escapes');

    const files = filesIn('out-escapes');
    expect(files['grades.csv']).toContain('a\\u001b[2J\\u0007\\u202eb,worst-ring,incorrect');
    const written = [stdout, stderr, ...Object.values(files)].join('');
    expect(written).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
  });

  it('makes the texts of results well-formed', () => {
    const test = { criterion: 'c', met: false, points: 0, pointsMax: 1, detail: 'x\uD800\0' };
    const sums = { points: 0, pointsMax: 1 };
    const exercise = { ...sums, student: 'ada', exercise: 'e', title: 't', tests: [test] };
    const results = { ...sums, student: 'ada', exercises: [{ ...exercise, status: 'incorrect' }] };

    const shown = printableResults(results as StudentResults);

    expect(shown.exercises[0]?.tests[0]?.detail).toBe('x\uFFFD\\u0000');
  });

  it('gives a student whose name is too long as a folder a short one with a digest', async () => {
    const long = 'ж'.repeat(44);
    const other = `${long}а`;
    for (const student of ['ada', long, other])
      hand('long', student, 'worst-ring.json', ringOf(student));

    const { code, stdout, stderr } = await grade('long', 'out-long');

    expect(code).toBe(0);
    expect(stdout.match(/ correct +30\/30$/gm)).toHaveLength(3);
    const folders = Object.keys(filesIn('out-long')).flatMap(
      (path) => /^students\/(.+)\/results\.json$/.exec(path)?.[1] ?? [],
    );
    const [ada, ...shortened] = folders.toSorted((one, next) => one.length - next.length);
    expect(ada).toBe('ada');
    expect(new Set(shortened).size).toBe(2);
    for (const name of shortened) {
      expect(name).toMatch(/^(%D0%B6){33}\+[0-9a-f]{16}$/);
      expect(stderr).toContain(` has reports in students/${name}\n`);
    }
  });

  it('removes the reports of students who are gone if it replaces reports, and nothing else', async () => {
    for (const student of ['ada', 'bob', 'cem'])
      hand('former', student, 'worst-ring.json', ringOf(student));
    await grade('former', 'out-former');
    hand('out-former/students', 'cem', 'notes.txt', 'of the instructor');
    for (const student of ['bob', 'cem'])
      rmSync(join(folder, 'former', student), { recursive: true });

    const { code } = await grade('former', 'out-former', '--force');

    expect(code).toBe(0);
    const left = Object.keys(filesIn('out-former')).filter((path) => path.startsWith('students/'));
    expect(left).toEqual([
      ...['students/ada/classroom.json', 'students/ada/results.json', 'students/cem/notes.txt'],
    ]);
    expect(existsSync(join(folder, 'out-former', 'students', 'bob'))).toBe(false);
  });

  it('grades the submission of one student', async () => {
    hand('single', '', 'worst-ring.json', ringOf('ada'));

    const { code } = await grade('single', 'out-single', '--student', 'ada');

    expect(code).toBe(0);
    expect(Object.keys(filesIn('out-single'))).toContain('results.json');
  });

  it.skipIf(NO_SANDBOX !== null)('runs files in the sandbox', async () => {
    hand('files', 'ada', 'implement-chang-roberts.ts', 'throw new Error("not yet")');

    const { code } = await grade('files', 'out-files');

    expect(code).toBe(0);
    expect(filesIn('out-files')['grades.csv']).toContain('not yet');
  });

  it('refuses other arguments', async () => {
    hand('empty', 'ada', 'notes.txt', 'nothing');
    const refused = async (...words: Parameters<typeof grade>) => {
      const { code, stderr, stdout } = await grade(...words);
      expect({ code, stdout }).toEqual({ code: 254, stdout: '' });
      return stderr;
    };

    expect(await refused('absent', 'a')).toMatch(/absent does not exist/);
    expect(await refused('empty', 'a')).toMatch(/has no submission/);
    expect(await refused('class', 'a', '--exercise', 'nothing')).toMatch(/there is no exercise/);
    await grade('class', 'twice');
    expect(await refused('class', 'twice')).toMatch(/exists and was left unchanged/);
    const none = await usurp([
      ...['grade', join(folder, 'class'), '--out', join(folder, 'b')],
      ...['--course-secret', join(folder, 'none')],
    ]);
    expect(none).toMatchObject({ code: 254, stdout: '' });
  });
});
