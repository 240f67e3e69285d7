/**
 * @module
 * A class from the command line: its codes in a private file, shown once, and what a kill leaves.
 */

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended, ROOT, scratchFolder, spawnUsurp, usurp } from '../shell.ts';

const CLASS = `name: Elections
instructors: [eve]
students: [{ name: ann }]
exercises: [{ name: predict-cost, deadline: 2999-10-15T23:59 }]
`;

/** A folder with a class, and a way to serve it. */
function classIn(text = CLASS) {
  const folder = scratchFolder();
  const [file, codes] = [join(folder, 'class.yaml'), join(folder, 'codes.txt')];
  writeFileSync(file, text);
  const data = join(folder, 'class.db');
  const flags = ['--class', file, '--data', data, '--course-secret', join(folder, 'secret')];
  /** What a server prints that does not start. */
  const refused = (...more: readonly string[]) =>
    usurp(['serve', '--port', '0', ...flags, ...more]);
  const start = (...more: readonly string[]) => {
    const child = spawnUsurp(['serve', '--port', '0', ...flags, ...more]);
    const url = new Promise<string>((resolve) => {
      child.stdout.once('data', (chunk) => resolve(String(chunk).trim()));
    });
    return { child, url, end: ended(child) };
  };
  return { codes, data, start, refused };
}

const post = (url: string, body: object, token = 'none') =>
  fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });

/** The members of an answer. */
async function membersOf(answer: Promise<Response>): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse(await (await answer).text());
}

describe('usurp serve --class', () => {
  it('writes the codes to a private file, once, and keeps what it answered through a kill', async () => {
    const { codes, start } = classIn();
    const first = start('--class-codes', codes);
    const url = await first.url;
    const [, code = ''] = /^student ann (\S+)$/m.exec(readFileSync(codes, 'utf8')) ?? [];

    const signedIn = await membersOf(post(`${url}/v1/sessions`, { type: 'classCode', code }));
    const token = String(signedIn.token);
    const path = '/v1/exercises/predict-cost/submissions';
    const submission = { type: 'number', number: 1 };
    const graded = await membersOf(post(`${url}${path}`, submission, token));
    first.child.kill('SIGKILL');
    const { stderr } = await first.end;
    const second = start('--class-codes', codes);
    const headers = { Authorization: `Bearer ${token}` };
    const kept = await membersOf(fetch(`${await second.url}${path}`, { headers }));
    second.child.kill('SIGTERM');
    await second.end;

    expect(statSync(codes).mode & 0o777).toBe(0o600);
    expect(stderr).not.toContain(code);
    expect(kept.items).toMatchObject([{ id: graded.id, status: 'incorrect' }]);
  });

  it('prints the codes on stderr without a file', async () => {
    const { start } = classIn();
    const { child, url, end } = start();
    await url;
    child.kill('SIGTERM');

    const { stdout, stderr } = await end;

    expect(stderr).toMatch(/^student ann (?:[a-z2-7]{4}-){3}[a-z2-7]{4}$/m);
    expect(stdout).not.toContain('ann');
  });

  it('refuses a file of codes that exists, and makes no code then', async () => {
    const { codes, start, refused } = classIn();
    writeFileSync(codes, 'mine\n');
    const { code, stderr } = await refused('--class-codes', codes);
    const { child, url, end } = start();
    await url;
    child.kill('SIGTERM');

    expect(code).toBe(254);
    expect(stderr).toContain('was left unchanged; name a new file');
    expect(readFileSync(codes, 'utf8')).toBe('mine\n');
    expect((await end).stderr).toContain('student ann');
  });

  it('has exercises of the instructor, whose folder it must be told', async () => {
    const folder = scratchFolder();
    const text = readFileSync(join(ROOT, 'exercises/predict-cost/exercise.yaml'), 'utf8');
    mkdirSync(join(folder, 'own'));
    writeFileSync(
      join(folder, 'own/exercise.yaml'),
      text.replace('name: predict-cost', 'name: own-cost'),
    );
    const { start, refused } = classIn(CLASS.replace('predict-cost', 'own-cost'));

    const { code, stderr } = await refused();
    const { child, url, end } = start('--exercises', folder);
    const list = await membersOf(fetch(`${await url}/v1/exercises`));
    child.kill('SIGTERM');
    await end;

    expect(code).toBe(254);
    expect(stderr).toMatch(
      /class\.yaml:4:21: exercises\.0\.name must be .*usurp serve --exercises FOLDER adds/s,
    );
    expect(list.items).toMatchObject([{ name: 'own-cost' }]);
  });

  it('refuses a mistake with its place, before it makes anything', async () => {
    const { data, refused } = classIn(CLASS.replace('ann', 'Ann'));

    const { code, stderr } = await refused();

    expect(code).toBe(254);
    expect(stderr).toMatch(/class\.yaml:3:20: students\.0\.name must be 1 to 64 of a-z/);
    expect(existsSync(data)).toBe(false);
  });
});
