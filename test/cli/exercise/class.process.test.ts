/**
 * @module
 * `usurp class` as an instructor uses it, as docs/exercises.md describes it: a class of 80 from a roster, an extension, a
 * grade, a regrade after a changed exercise, a reset that is undone, exports for all programs, and a server that is killed.
 */

import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { csvParse } from 'd3-dsv';
import { expect, it } from 'vitest';

import { ended, scratchFolder, spawnUsurp, usurp } from '../shell.ts';

const STUDENTS = 80;

const folder = scratchFolder();
const at = (name: string) => join(folder, name);

function writeClass(): void {
  const lines = Array.from({ length: STUDENTS }, (_, index) => {
    return `Ann,Lee ${index},${1_000 + index},s${index}@example.org,Tuesday`;
  });
  const head = 'First Name,Last Name,SID,Email,Section';
  writeFileSync(at('roster.csv'), `${[head, ...lines].join('\n')}\n`);
  const own = new URL('../../../exercises/predict-cost/', import.meta.url);
  cpSync(own, at('exercises/predict-cost'), { recursive: true });
}

const CLASS = `name: Distributed systems
timeZone: Europe/Berlin
instructors: [eve]
exercises:
  - { name: predict-cost, deadline: 2020-01-01T00:00Z }
late: { until: 1h, deduct: 10%, per: 24h }
`;

async function serve() {
  const child = spawnUsurp([
    ...['serve', '--port', '0', '--class', at('class.yaml'), '--class-codes', at('codes.csv')],
    ...['--data', at('class.db'), '--course-secret', at('secret'), '--exercises', at('exercises')],
  ]);
  const end = ended(child);
  const url = await Promise.race([
    new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text)))),
    end.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ]);
  const kill = async () => {
    child.kill('SIGKILL');
    await end;
  };
  return { url: url.trim(), kill };
}

it('runs a class of 80 from its roster to the grades', async () => {
  writeClass();
  const roster = await usurp(['class', 'roster', at('roster.csv')]);
  writeFileSync(at('class.yaml'), `${CLASS}${roster.stdout}`);
  const first = await serve();
  const codes = csvParse(readFileSync(at('codes.csv'), 'utf8'));
  const join = async (name: string) => {
    const code = codes.find((row) => row.name === name)?.code ?? '';
    writeFileSync(at('code'), code);
    const file = at(`token-${name}`);
    await usurp(['exercise', 'join', at('code'), '--token-file', file, '--server', first.url]);
    return file;
  };
  const [eve, ann] = [await join('eve'), await join('s7')];
  let { url } = first;
  const asEve = (...words: readonly string[]) =>
    usurp(['class', ...words, '--server', url, '--token-file', eve]);
  const asStudent = (...words: readonly string[]) =>
    usurp(['exercise', ...words, '--server', url, '--token-file', ann]);
  const submit = (number: number) => {
    writeFileSync(at('answer.json'), JSON.stringify({ type: 'number', number }));
    return asStudent('submit', 'predict-cost', at('answer.json'));
  };

  const late = await submit(1);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
  const extended = await asEve('extend', 's7', 'predict-cost', `${tomorrow}Z`, '--json');
  const started = await asStudent('start', 'predict-cost', '--json');
  const { c1, c2, identities } = JSON.parse(started.stdout).given;
  const solved = await submit(Math.ceil(1.3 * identities * (2 ** c1 + 2 ** c2)));
  const graded = await asEve('grade', 's8', 'predict-cost', '12', '--comment', 'oral exam');
  const refused = await asEve('grade', 's8', 'predict-cost', '99');

  const document = at('exercises/predict-cost/exercise.yaml');
  const text = readFileSync(document, 'utf8');
  writeFileSync(document, text.replace('tolerance: 0.2', 'tolerance: 0.5'));
  const reloaded = await asEve('reload');
  writeFileSync(document, 'name: [');
  const withFaultyExercise = await asEve('reload');
  writeFileSync(document, text.replace('tolerance: 0.2', 'tolerance: 0.5'));
  writeFileSync(at('class.yaml'), 'name: [');
  const withFaultyClass = await asEve('reload');
  writeFileSync(at('class.yaml'), `${CLASS}${roster.stdout}`);
  const regraded = await asEve('regrade', 'predict-cost');
  const reset = await asEve('reset', 's7', 'predict-cost');
  await first.kill();
  const second = await serve();
  url = second.url;
  const undone = await asEve('undo', '4');
  const sheet = await asEve('codes', '--out', at('codes.html'));
  const progress = await asEve('progress');
  const statistics = await asEve('statistics');
  const decisions = await asEve('decisions');
  const names = ['canvas', 'moodle', 'gradescope', 'githubClassroom', 'ctfdScoreboard', 'grades'];
  const exported = [];
  for (const name of names) exported.push(await asEve('export', name, '--out', at(`${name}.csv`)));
  await second.kill();

  expect([late.code, solved.code]).toEqual([254, 1]);
  expect(JSON.parse(extended.stdout)).toMatchObject({ number: 1, made: { by: 'eve' } });
  expect(graded.stdout).toMatch(
    /^2\. {2}grade of s8, predict-cost: 12 points; by eve, [^"]*"oral\s+exam"/,
  );
  expect(refused).toMatchObject({ code: 254 });
  expect(reloaded.stdout).toBe('added: none\nremoved: none\nchanged exercises: predict-cost\n');
  expect(withFaultyExercise.stderr).toContain(
    'nothing was changed: exercises/predict-cost/exercise.yaml:',
  );
  expect(withFaultyClass.stderr).toContain('nothing was changed: class.yaml:');
  expect(regraded.stdout).toMatch(
    /1 submission graded, 1 score\s+changed.*\n {2}s7: 0 to 20 points\n$/s,
  );
  expect(reset.stdout).toMatch(/^4\. {2}reset of s7, predict-cost: 1 submission removed; by eve/);
  expect(undone.stdout).toContain('undone by eve');
  expect(readFileSync(at('codes.html'), 'utf8').match(/<code>/g)).toHaveLength(STUDENTS - 1);
  expect(statSync(at('codes.html')).mode & 0o77).toBe(0);
  expect(sheet).toMatchObject({ code: 0, stderr: expect.stringContaining('no longer valid') });
  expect(progress.stdout).toMatch(/^s7 +yes +20 +predict-cost 20$/m);
  expect(progress.stdout).toMatch(/^s8 +no +12 +predict-cost 12 set$/m);
  const order = [...progress.stdout.matchAll(/^s\d+/gm)].map(([name]) => name);
  expect(order).toEqual(Array.from({ length: STUDENTS }, (_, index) => `s${index}`));
  expect(statistics.stdout).toMatch(/^predict-cost +1 +1 +1 +1 \(at most 1\)/m);
  for (const { stdout } of [statistics, progress, decisions])
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(decisions.stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /by eve, \d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? \(Europe\/Berlin\)/,
  );
  expect(decisions.stdout).not.toMatch(/\dZ/);
  expect(decisions.stdout.match(/^\d\. /gm)).toEqual(['4. ', '3. ', '2. ', '1. ']);
  expect(exported.map(({ code }) => code)).toEqual(names.map(() => 0));
  const grades = csvParse(readFileSync(at('grades.csv'), 'utf8'));
  expect(grades).toHaveLength(STUDENTS);
  expect(grades[7]).toMatchObject({ student: 's7', total: '20', email: 's7@example.org' });
}, 300_000);
