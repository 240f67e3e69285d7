/**
 * @module
 * The files of a data file are put back in every order, and a server is started after each step, as a
 * supervisor does. It refuses to start or serves what is there; in the end nothing is lost.
 */

import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import type { Lab } from '../../../server/lab.ts';
import { startLab } from '../../../server/lab.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { scratchFolder } from '../../cli/shell.ts';
import { sampled } from '../../sample.ts';

const NAME = 'lab.sqlite';
const SWEEP = {
  ...{ threatModel: 'top-id', runs: 2, seed: '1' },
  set: { work: 'sampled' },
  axes: { 'network.honest': [4, 8] },
};

const open = (folder: string): Promise<Lab> =>
  startLab(
    {
      ...{ host: '127.0.0.1', port: 0, version: '0.0.0', policy: STRICT_POLICY },
      data: join(folder, NAME),
    },
    () => undefined,
  );

async function send(url: string, method = 'GET', body?: object) {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, {
    method,
    ...(body && { headers, body: JSON.stringify(body) }),
  });
  const location = response.headers.get('Location') ?? '';
  return { status: response.status, location, text: await response.text() };
}

async function elect({ url }: Lab, seed: string): Promise<string> {
  const body = { protocol: 'bully-oneshot', nodes: 4, seed, run: true };
  const { status, location } = await send(`${url}/v1/elections`, 'POST', body);
  expect(status).toBe(201);
  return location;
}

/** Executes a sweep. Returns its path and those of its tables. */
async function sweep({ url }: Lab, seed: string): Promise<string[]> {
  const made = await send(`${url}/v1/sweeps`, 'POST', { ...SWEEP, seed });
  const { links } = JSON.parse(made.text);
  for (;;) {
    const { status } = JSON.parse((await send(url + links.self)).text);
    if (status === 'done') return [links.self, links.rows, links.cells];
    expect(['queued', 'running']).toContain(status);
    await delay(20);
  }
}

/** The answers at some paths. */
async function answersOf({ url }: Lab, paths: readonly string[]) {
  const answers = await Promise.all(paths.map((path) => send(url + path)));
  return paths.map((path, index) => ({ path, ...answers[index] }));
}

/** The files as they would be after a kill, in a new folder. */
function killed(folder: string): string {
  const copy = scratchFolder();
  for (const name of readdirSync(folder)) {
    if (name !== `${NAME}-shm`) cpSync(join(folder, name), join(copy, name), { recursive: true });
  }
  return copy;
}

function copy(name: string, from: string, to: string): void {
  cpSync(join(from, name), join(to, name), { recursive: true });
}

/** Every file below a folder. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
}

function orders<Each>(items: readonly Each[]): Each[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) =>
    orders(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  );
}

/** A server with elections and a sweep, and a later one, each as after a kill. */
async function history() {
  const folder = scratchFolder();
  const lab = await open(folder);
  const paths = [await elect(lab, '1'), ...(await sweep(lab, '1'))];
  const earlier = { paths, answers: await answersOf(lab, paths), folder: killed(folder) };
  const backup = await lab.backup();
  const more = [...paths, await elect(lab, '2'), ...(await sweep(lab, '2'))];
  const later = { paths: more, answers: await answersOf(lab, more), folder: killed(folder) };
  await lab.close();
  return { earlier, later, backup };
}

/** Starts a server if the files allow it, and kills it. Returns the files it leaves, and why it did not start. */
async function attempt(
  folder: string,
): Promise<{ readonly folder: string; readonly refusal: string }> {
  const before = filesIn(folder);
  let lab: Lab;
  try {
    lab = await open(folder);
  } catch (error) {
    expect(error).toMatchObject({ code: 'file.unreadable' });
    expect(filesIn(folder).filter((name) => !name.endsWith('-shm'))).toEqual(before);
    return { folder, refusal: String(error) };
  }
  await elect(lab, '99');
  const left = killed(folder);
  await lab.close();
  return { folder: left, refusal: '' };
}

describe('the files of a killed server', async () => {
  const { earlier, later, backup } = await history();
  const endings = ['', '-wal', '-wal-end', '.sweeps'];

  it.each(sampled(orders(endings), 5).map((order) => [order.join(' | ')]))(
    'can be put back in the order %s',
    async (order) => {
      let folder = scratchFolder();
      for (const ending of order.split(' | ')) {
        copy(`${NAME}${ending}`, later.folder, folder);
        ({ folder } = await attempt(folder));
      }

      const lab = await open(folder);
      const answers = await answersOf(lab, later.paths);
      await lab.close();

      expect(answers).toEqual(later.answers);
    },
  );

  it.each(orders(['', '.sweeps']).map((order) => [order.join(' | ')]))(
    'can be replaced by a backup in the order %s, and that by the files again',
    async (order) => {
      let folder = scratchFolder();
      for (const ending of order.split(' | ')) {
        if (ending === '') cpSync(backup, join(folder, NAME));
        else copy(`${NAME}${ending}`, later.folder, folder);
        ({ folder } = await attempt(folder));
      }
      const lab = await open(folder);
      const answers = await answersOf(lab, earlier.paths);
      const { notes } = lab;
      await lab.close();
      for (const ending of ['', '-wal', '-wal-end']) {
        rmSync(join(folder, `${NAME}${ending}`), { force: true });
      }
      for (const ending of ['', '-wal', '-wal-end']) copy(`${NAME}${ending}`, later.folder, folder);
      const again = await open(folder);
      const all = await answersOf(again, later.paths);
      await again.close();

      expect(answers).toEqual(earlier.answers);
      expect(notes.join()).toContain('1 entries of which the data file knows no sweep');
      expect(all).toEqual(later.answers);
    },
  );

  it('refuse to serve beside the log of another state, and lose neither', async () => {
    const folder = killed(earlier.folder);
    const other = await attempt(folder);
    cpSync(join(later.folder, NAME), join(other.folder, NAME));

    const { refusal } = await attempt(other.folder);

    expect(refusal).toMatch(/continues another state of this file/);
    for (const ending of ['-wal', '-wal-end', '.sweeps']) {
      copy(`${NAME}${ending}`, later.folder, other.folder);
    }
    const lab = await open(other.folder);
    expect(await answersOf(lab, later.paths)).toEqual(later.answers);
    await lab.close();
  });

  it('keep the files of users that lie among them', async () => {
    const folder = killed(later.folder);
    const root = join(folder, `${NAME}.sweeps`);
    mkdirSync(join(root, 'sweep-mine'));
    const own = [
      join(folder, 'rows.csv'),
      join(root, 'notes.txt'),
      join(root, 'sweep-mine', 'rows.csv'),
    ];
    for (const path of own) writeFileSync(path, basename(path));

    const lab = await open(folder);
    const answers = await answersOf(lab, later.paths);
    await lab.close();

    expect(answers).toEqual(later.answers);
    expect(own.map((path) => existsSync(path))).toEqual([true, true, true]);
  });
});
