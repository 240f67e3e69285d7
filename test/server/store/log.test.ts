/**
 * @module
 * The write-ahead log of a killed server: damaged, cut off, missing, empty, or that of another state of the file.
 */

import {
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';

import { examineStore } from '../../../server/store/store-examination.ts';
import { logEndOf } from '../../../server/store/store-log.ts';
import { scratchFolder } from '../../cli/shell.ts';
import {
  copyOf,
  FLIPS,
  fill,
  killedFile,
  notesOf,
  offsets,
  openLogs,
  outcomeOf,
  PLAN,
  readAll,
} from './store-files.ts';

const scratchFile = () => join(scratchFolder(), 'lab.sqlite');

/** The header of the next frame of a log, without the page. */
function unfinishedFrame(log: Buffer): Uint8Array {
  const header = new Uint8Array(24);
  header.set([0, 0, 0, 1], 0);
  header.set(log.subarray(16, 24), 8);
  return header;
}

describe('a file with a log', () => {
  it('is refused with any byte of its log flipped, except in the last write', async () => {
    const path = await killedFile();
    const whole = readAll(copyOf(path));
    const bytes = readFileSync(`${path}-wal`);
    let refused = 0;

    for (const at of offsets(bytes.length, FLIPS)) {
      const flipped = copyOf(path);
      const damaged = Uint8Array.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      writeFileSync(`${flipped}-wal`, damaged);
      const notes = notesOf(flipped);
      const outcome = outcomeOf(flipped);
      if (outcome === 'refused') refused += 1;
      else if (notes.length === 0) expect(outcome, `byte ${at}`).toEqual(whole);
      else expect(at, notes.join()).toBeGreaterThan(bytes.length - 5000);
    }

    expect(refused).toBeGreaterThan(FLIPS * 0.7);
  });

  it('is refused with the number of missing bytes if acknowledged writes of its log were cut off', async () => {
    const path = await killedFile();
    const { size } = statSync(`${path}-wal`);

    for (const bytes of [...offsets(size, FLIPS), 0, size - 1]) {
      const cut = copyOf(path);
      truncateSync(`${cut}-wal`, bytes);
      const refused = new RegExp(
        `-wal was cut off: ${size - bytes} bytes with acknowledged writes`,
      );
      expect(() => readAll(cut), `${bytes} of ${size}`).toThrow(refused);
      expect(statSync(`${cut}-wal`).size).toBe(bytes);
    }
  });

  it('opens without them if the operator says so', async () => {
    const path = await killedFile();
    truncateSync(`${path}-wal`, statSync(`${path}-wal`).size - 1);
    rmSync(logEndOf(path));

    const { notes } = examineStore(path, 0);

    expect(notes).toEqual([expect.stringContaining('cut off: 1 bytes of it are missing')]);
    expect(readAll(path).jobs).toMatchObject([{ record: null }, { record: null }]);
  });

  it('opens with a note if a write was cut off that was not acknowledged', async () => {
    const path = await killedFile();
    const whole = readAll(copyOf(path));
    const log = readFileSync(`${path}-wal`);
    writeFileSync(`${path}-wal`, Buffer.concat([log, unfinishedFrame(log)]));

    const { notes } = examineStore(path, 0);

    expect(notes).toEqual([
      expect.stringMatching(/cut off: 4096 bytes of it are missing; it was not acknowledged/),
    ]);
    expect(readAll(path)).toEqual(whole);
  });

  it.each(['', '-wal'])(
    'is refused if its file%s is empty and the other is not',
    async (ending) => {
      const path = await killedFile();
      const other = readFileSync(`${path}${ending === '' ? '-wal' : ''}`);
      truncateSync(`${path}${ending}`);

      expect(() => readAll(path)).toThrow(ending === '' ? 'it is empty, and' : 'was cut off');

      expect(readFileSync(`${path}${ending === '' ? '-wal' : ''}`).equals(other)).toBe(true);
    },
  );

  it('is refused with the log of another state of it, such as one after a backup', async () => {
    const path = scratchFile();
    const logs = openLogs(path);
    await fill(logs);
    await logs.file.backup(`${path}.backup`);
    logs.file.close();
    const later = openLogs(path);
    later.elections.deleted('e_1');
    const killed = copyOf(path);
    later.file.close();
    copyFileSync(`${path}.backup`, killed);
    const before = readFileSync(`${killed}-wal`);

    expect(() => readAll(killed)).toThrow('continues another state of this file');

    expect(readFileSync(`${killed}-wal`).equals(before)).toBe(true);
    rmSync(`${killed}-wal`);
    expect(readAll(killed).elections).toHaveLength(2);
  });

  it('has every write with a backup in its place that was made while the log was written', async () => {
    const path = scratchFile();
    const logs = openLogs(path);
    await fill(logs);
    await logs.file.backup(`${path}.backup`);
    logs.elections.deleted('e_1');
    const killed = copyOf(path);
    logs.file.close();
    copyFileSync(`${path}.backup`, killed);

    expect(readAll(killed).elections.map(({ id }) => id)).toEqual(['e_2']);
  });

  it('is complete wherever the server is killed, over many checkpoints', () => {
    const path = scratchFile();
    const logs = openLogs(path);
    logs.elections.created('e_1', PLAN, [], null);
    const cut = 'x'.repeat(9000);
    let largest = 0;

    for (let count = 1; count <= 500; count += 1) {
      logs.elections.acted('e_1', { type: 'partition', cut }, null);
      largest = Math.max(largest, statSync(`${path}-wal`).size);
      if (count % 25 !== 0) continue;
      const killed = copyOf(path);
      expect(examineStore(copyOf(killed), 0).notes).toEqual([]);
      expect(readAll(killed).elections[0]?.actions).toHaveLength(count);
    }

    logs.file.close();
    expect(largest).toBeLessThan(2 ** 21);
    expect(readdirSync(dirname(path))).toEqual(['lab.sqlite']);
  });

  it('is complete if its server is killed at any page of a checkpoint', async () => {
    const path = await killedFile();
    const whole = readAll(copyOf(path));
    const before = readFileSync(path);
    const done = copyOf(path);
    const database = new DatabaseSync(done);
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    const after = readFileSync(done);
    database.close();

    for (let bytes = 0; bytes <= after.length; bytes += 4096) {
      const killed = copyOf(path);
      const copied = after.subarray(0, bytes);
      writeFileSync(killed, Buffer.concat([copied, before.subarray(bytes)]));
      expect(readAll(killed), `${bytes} of ${after.length}`).toEqual(whole);
    }
  });

  it('is refused without its log', async () => {
    const path = await killedFile();
    const copy = scratchFile();
    copyFileSync(path, copy);

    expect(() => readAll(copy)).toThrow('-wal with the last writes is missing');

    writeFileSync(`${copy}-wal`, '');
    expect(readAll(copy)).toEqual({ elections: [], jobs: [], answers: [] });
  });

  it('is refused if only its log exists', async () => {
    const path = await killedFile();
    rmSync(path);

    expect(() => readAll(path)).toThrow('is there without it');
  });
});
