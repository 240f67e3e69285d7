/**
 * @module
 * The folder of a cluster: what a controller that was killed has left in it, files that are none of a cluster, and two
 * controllers at one time.
 */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, it } from 'vitest';
import {
  noteDisturbance,
  peersIn,
  readClusterFolder,
  takeFolder,
  writeClusterFolder,
} from '../../../src/live/cluster/cluster-folder.ts';
import { lockFile } from '../../../src/runtime/files/file-lock.ts';

const ROOT = mkdtempSync(join(tmpdir(), 'usurp-folder-'));
afterAll(() => rmSync(ROOT, { recursive: true }));

const LIST = 'disturbances.jsonl';
const HEAL = { t: 1, type: 'heal' } as const;
const PAUSE = { t: 2, type: 'pause', node: 'a' } as const;

/** A folder with a cluster whose controller has noted one disturbance. */
function clusterFolder(): string {
  const folder = mkdtempSync(join(ROOT, 'cluster-'));
  writeFileSync(join(folder, 'peers.json'), '{}');
  const settings = {
    ...({ protocol: 'raft', level: 'L2', detector: 'fd-heartbeat' } as const),
    ...{ nodes: 3, c1: 0, c2: 0, tls: true, defences: [], timing: { latencyTicksMax: 50 } },
  };
  writeClusterFolder(folder, { settings, netns: false, startedMs: 1, joined: [] });
  noteDisturbance(folder, HEAL);
  return folder;
}

describe('the folder of a cluster', () => {
  it('is of use again when its controller was killed while it noted a disturbance', () => {
    const folder = clusterFolder();
    appendFileSync(join(folder, LIST), JSON.stringify(PAUSE).slice(0, -9));
    expect(readClusterFolder(folder)?.disturbances).toEqual([HEAL]);

    takeFolder(folder)();
    noteDisturbance(folder, PAUSE);

    expect(readClusterFolder(folder)?.disturbances).toEqual([HEAL, PAUSE]);
  });

  it('has its settings in one file, also after they were written again', () => {
    const folder = clusterFolder();
    const filed = readClusterFolder(folder);
    if (filed === null) throw new TypeError('the folder has no cluster');

    writeClusterFolder(folder, { ...filed, startedMs: 5 });

    expect(readClusterFolder(folder)).toEqual({ ...filed, startedMs: 5 });
    expect(readdirSync(folder).toSorted()).toEqual(['cluster.json', LIST, 'peers.json']);
  });

  it.each<[string, string, (path: string) => void, string]>([
    ['a folder', 'peers.json', (path) => mkdirSync(path), 'peers.json is a folder, not'],
    ['a pipe', LIST, (path) => execFileSync('mkfifo', [path]), `${LIST} is a pipe or a device`],
    // It takes no room on the disk, and more than the memory if all of it is read.
    ['endless', 'cluster.json', grow, 'cluster.json is longer than'],
    ['endless', LIST, grow, `${LIST} is longer than`],
    ['no list', LIST, (path) => writeFileSync(path, '{"t":1,"type":"heal"}\n{\n'), `${LIST}:2: `],
  ])('is refused with %s as %s, and with what to do', (_what, name, make, message) => {
    const folder = clusterFolder();
    rmSync(join(folder, name));
    make(join(folder, name));

    const read = () => [readClusterFolder(folder), peersIn(folder)];

    expect(read).toThrow(message);
    expect(read).toThrow('or name another folder');
  });

  it.each(['file', 'file/in-it'])('is refused if it is no folder: %s', (name) => {
    writeFileSync(join(ROOT, 'file'), '');
    const take = () => [readClusterFolder(join(ROOT, name)), takeFolder(join(ROOT, name))];

    expect(take).toThrow('name an empty folder, or one of up --folder');
  });
});

function grow(path: string): void {
  writeFileSync(path, '');
  truncateSync(path, 2 ** 40);
}

describe('a folder that a controller has', () => {
  it('is refused to another one, which changes nothing, until the first gives it back', () => {
    const folder = clusterFolder();
    const release = takeFolder(folder);
    appendFileSync(join(folder, LIST), 'a part');

    expect(() => takeFolder(folder)).toThrow(`another usurp runs the cluster of ${folder}; wait`);
    expect(readFileSync(join(folder, LIST), 'utf8')).toMatch(/a part$/);

    release();
    takeFolder(folder)();
  });

  it('is empty for a new cluster if its controller ended before it had written a file', () => {
    const folder = join(ROOT, 'new');
    takeFolder(folder)();

    expect(readClusterFolder(folder)).toBeNull();
  });

  it('is free when its controller was killed', async () => {
    const path = join(ROOT, 'killed.lock');
    const source = new URL('../../../src/runtime/files/file-lock.ts', import.meta.url);
    const program = `const { lockFile } = await import(${JSON.stringify(source.href)});
      console.log(lockFile(${JSON.stringify(path)}) !== null);
      setInterval(() => undefined, 1000);`;
    const holder = spawn(process.execPath, ['--input-type=module', '--eval', program]);
    const ended = once(holder, 'close');
    const [said] = await once(holder.stdout, 'data');
    expect(String(said)).toBe('true\n');
    expect(lockFile(path)).toBeNull();

    holder.kill('SIGKILL');
    await ended;

    expect(lockFile(path)).toBeTypeOf('function');
  });

  it('is refused if the file of its lock is no lock', () => {
    const folder = clusterFolder();
    mkdirSync(join(folder, 'cluster.lock'));

    expect(() => takeFolder(folder)).toThrow('cluster.lock cannot be locked');
  });
});
