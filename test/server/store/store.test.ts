/**
 * @module
 * The data file: its settings, its creation, damaged and incomplete files, failing disks, and copies.
 */

import {
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { examineStore } from '../../../server/store/store-examination.ts';
import { openStore } from '../../../server/store/store-file.ts';
import { migration, SCHEMA_VERSION } from '../../../server/store/store-schema.ts';
import { scratchFolder } from '../../cli/shell.ts';
import {
  contentsOf,
  copyOf,
  FLIPS,
  fill,
  firstOf,
  killedFile,
  offsets,
  openLogs,
  outcomeOf,
  PLAN,
  readAll,
  stoppedFile,
} from './store-files.ts';

const scratchFile = () => join(scratchFolder(), 'lab.sqlite');

const UNKNOWN = { caller: 'anyone', key: 'unknown', fingerprint: 'f' };

describe('the data file', () => {
  it('has the settings that durability requires, and only its owner may read it', () => {
    const path = scratchFile();
    const file = openStore(path);

    const settings = [
      ...['journal_mode', 'synchronous', 'foreign_keys', 'trusted_schema'],
      ...['locking_mode', 'busy_timeout', 'wal_autocheckpoint'],
    ].map((name) => firstOf(file, `PRAGMA ${name}`));
    const modes = [path, `${path}-wal`].map((name) => statSync(name).mode & 0o777);
    const strict = file.database.prepare('PRAGMA table_list').all();
    file.close();

    expect(settings).toEqual(['wal', 2, 1, 0, 'exclusive', 5000, 0]);
    expect(modes).toEqual([0o600, 0o600]);
    expect(strict.filter(({ name, strict }) => !strict && !/^sqlite_/.test(String(name)))).toEqual(
      [],
    );
  });

  it('does not accept writes to its schema tables', () => {
    const file = openStore(scratchFile());

    const write = () =>
      file.database.exec(`PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = ''`);

    expect(write).toThrow('may not be modified');
    file.close();
  });

  it('is one file after it was closed, with everything that was written', async () => {
    const path = await stoppedFile();

    expect(() => statSync(`${path}-wal`)).toThrow('ENOENT');
    expect(readAll(path)).toMatchObject({
      elections: [{ id: 'e_1', actions: [{ rank: 1 }, { rank: 2 }, { rank: 3 }] }, { id: 'e_2' }],
      jobs: [
        { id: 'r_1', record: { status: 'done' } },
        { id: 'r_2', record: null },
      ],
      answers: [
        { key: 'k', answer: { status: 201 } },
        { key: 'lost', answer: null },
      ],
    });
  });

  it('is complete after a kill', async () => {
    const [killed, stopped] = [await killedFile(), await stoppedFile()];

    expect(readAll(killed)).toEqual(readAll(stopped));
    expect(readdirSync(dirname(killed))).toEqual(['lab.sqlite']);
  });
});

describe('a new file', () => {
  it('is empty or complete if its server is killed at any statement that makes its tables', () => {
    const versions = new Set<number>();
    const statements = migration(0);
    for (let count = 0; count <= statements.length; count += 1) {
      const path = scratchFile();
      const database = new DatabaseSync(path);
      database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL');
      for (const statement of statements.slice(0, count)) database.exec(statement);
      const killed = copyOf(path);
      database.close();

      versions.add(examineStore(copyOf(killed), 0).version);
      expect(readAll(killed)).toEqual({ elections: [], jobs: [], answers: [] });
    }

    expect([...versions]).toEqual([0, SCHEMA_VERSION]);
  });
});

describe('a damaged file', () => {
  it('is refused wherever it is cut', async () => {
    const path = await stoppedFile();
    const { size } = statSync(path);

    for (const bytes of offsets(size, FLIPS).filter((each) => each > 0)) {
      const cut = copyOf(path);
      truncateSync(cut, bytes);
      expect(outcomeOf(cut), `${bytes} of ${size}`).toBe('refused');
    }
  });

  it('is refused, or has the same data, with any byte flipped', async () => {
    const path = await stoppedFile();
    const whole = readAll(copyOf(path));
    const bytes = readFileSync(path);
    const outcomes = { refused: 0, harmless: 0 };

    for (const at of [...offsets(120, 20), ...offsets(bytes.length, FLIPS)]) {
      const flipped = copyOf(path);
      const damaged = Uint8Array.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      writeFileSync(flipped, damaged);
      const outcome = outcomeOf(flipped);
      if (outcome === 'refused') outcomes.refused += 1;
      else {
        outcomes.harmless += 1;
        expect(outcome, `byte ${at}`).toEqual(whole);
      }
    }

    expect(outcomes.refused).toBeGreaterThan(10);
  });

  it.each([
    ['answers', `UPDATE answers SET resource = '/v1/elections/e_x'`],
    ['jobs', 'UPDATE jobs SET request = state WHERE state IS NOT NULL'],
    ['actions', `UPDATE actions SET election = 'e_2' WHERE number = 2`],
    ['elections', 'DROP INDEX actions_of_election'],
    ['elections', 'CREATE TABLE more (x)'],
  ])('is refused if another program changed its %s: %s', async (_table, statement) => {
    const path = await stoppedFile();
    const database = new DatabaseSync(path);
    database.exec(statement);
    database.close();

    expect(() => readAll(path)).toThrow('is damaged');
  });
});

describe('a disk that fails', () => {
  it('is reported while it is full, damages nothing, and is written to again afterwards', async () => {
    const faults: unknown[] = [];
    const logs = openLogs(scratchFile(), { onFault: (fault) => faults.push(fault) });
    await fill(logs);
    const before = contentsOf(logs);
    const pages = Number(firstOf(logs.file, 'PRAGMA page_count'));
    logs.file.database.exec(`PRAGMA max_page_count = ${pages}`);
    const large = { type: 'partition', cut: 'x'.repeat(100_000) } as const;

    for (let time = 0; time < 3; time += 1) {
      const act = () => logs.elections.acted('e_1', large, null);
      const create = () => logs.elections.created('e_3', PLAN, [{ type: 'start' }, large], null);
      expect(act).toThrow('nothing of this request was kept');
      expect(create).toThrow('nothing');
      // A write without changes does not show that the disk works.
      logs.answers.retract(UNKNOWN);
    }
    const work = { request: UNKNOWN, isClaimed: false, isOver: false };
    expect(() => logs.elections.acted('e_1', large, work)).toThrow('nothing of this request');
    const meanwhile = contentsOf(logs);
    logs.file.database.exec(`PRAGMA max_page_count = ${2 * pages + 100}`);
    logs.elections.acted('e_1', large, null);
    const after = contentsOf(logs);
    logs.file.close();

    expect(meanwhile).toEqual(before);
    expect(after.elections[0]?.actions).toHaveLength(4);
    expect(work.isClaimed).toBe(false);
    expect(faults).toHaveLength(1);
    expect(String(faults)).toContain('full');
  });

  it.each(['', '-wal'])(
    'is told as such when its file%s was moved away, until it is back',
    async (suffix) => {
      const path = scratchFile();
      const logs = openLogs(path);
      await fill(logs);
      const location = `${path}${suffix}`;
      renameSync(location, `${location}.away`);

      const acting = () => logs.elections.acted('e_2', { type: 'heal' }, null);

      expect(acting).toThrow('nothing of this request was kept');
      expect(contentsOf(logs).elections).toHaveLength(2);
      writeFileSync(location, 'another file');
      expect(acting).toThrow('nothing of this request was kept');
      renameSync(`${location}.away`, location);
      acting();
      logs.file.close();
      expect(readAll(path).elections[1]?.actions).toEqual([{ type: 'start' }, { type: 'heal' }]);
    },
  );

  it('is tried again by itself, and nothing can be written until that succeeds', async () => {
    const path = scratchFile();
    const logs = openLogs(path);
    await fill(logs);
    renameSync(path, `${path}.away`);
    expect(() => logs.file.assertWritable()).not.toThrow();

    expect(() => logs.elections.deleted('e_2')).toThrow('nothing of this request was kept');
    expect(() => logs.file.assertWritable()).toThrow('the store cannot be written');
    await delay(300);
    expect(() => logs.file.assertWritable()).toThrow('the store cannot be written');
    renameSync(`${path}.away`, path);

    await expect.poll(() => logs.file.assertWritable()).toBeUndefined();
    logs.file.close();
    expect(readAll(path).elections).toHaveLength(2);
  });

  it('is not blamed for a bug of the program', () => {
    const logs = openLogs(scratchFile());

    expect(() => logs.elections.acted('e_missing', { type: 'heal' }, null)).toThrow('FOREIGN KEY');
    logs.file.close();
  });
});

describe('a backup', () => {
  it('has everything that was acknowledged before it, and can replace the file', async () => {
    const path = scratchFile();
    const logs = openLogs(path);
    await fill(logs);
    const before = contentsOf(logs);

    await logs.file.backup(`${path}.backup`);
    logs.elections.deleted('e_1');
    await logs.file.backup(`${path}.later`);
    logs.file.close();

    expect(readAll(`${path}.backup`)).toEqual(before);
    expect(readAll(`${path}.later`).elections).toHaveLength(1);
    expect(statSync(`${path}.later`).mode & 0o777).toBe(0o600);
  });

  it('loses no write that happens while it is made', async () => {
    const path = scratchFile();
    const logs = openLogs(path);
    await fill(logs);

    const backup = logs.file.backup(`${path}.backup`);
    for (let count = 0; count < 20; count += 1) logs.elections.acted('e_2', { type: 'heal' }, null);
    await backup;
    logs.file.close();

    expect(readAll(path).elections[1]?.actions).toHaveLength(21);
    expect(readAll(`${path}.backup`).elections).toHaveLength(2);
  });

  it('saves the data of a file that was deleted', async () => {
    const path = scratchFile();
    const logs = openLogs(path);
    await fill(logs);
    const before = contentsOf(logs);
    rmSync(path);

    await logs.file.backup(`${path}.backup`);
    logs.file.close();

    expect(readAll(`${path}.backup`)).toEqual(before);
  });

  it('keeps the previous backup if it cannot be made', async () => {
    const logs = openLogs(scratchFile());

    await expect(logs.file.backup('/nowhere/lab.backup')).rejects.toMatchObject({
      code: 'file.unwritable',
    });
    logs.file.close();
  });
});
