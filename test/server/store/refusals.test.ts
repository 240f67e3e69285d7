/**
 * @module
 * Refused data files: what a refusal leaves, and how it says to go on.
 */

import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { sessionLog } from '../../../server/callers/sessions.ts';
import { digestOf, openStore } from '../../../server/store/store-file.ts';
import { killedFile, readAll, stoppedFile } from './store-files.ts';

describe('a refusal', () => {
  it('leaves no file behind', async () => {
    const path = await killedFile();
    truncateSync(`${path}-wal`, 5000);
    const before = readdirSync(dirname(path));

    expect(() => readAll(path)).toThrow('cut off');

    expect(readdirSync(dirname(path))).toEqual(before);
  });

  it('of a file whose log is missing states how to go on without it', async () => {
    const path = await killedFile();
    rmSync(`${path}-wal`);

    expect(() => readAll(path)).toThrow(`touch ${path}-wal; rm ${path}-wal-end`);

    writeFileSync(`${path}-wal`, '');
    rmSync(`${path}-wal-end`);
    expect(readAll(path).elections.length).toBeLessThan(2);
  });

  it.each([
    `UPDATE elections SET plan = replace(plan, '"seed"', '"sees"') WHERE id = 'e_1'`,
    'UPDATE jobs SET request = state WHERE state IS NOT NULL',
    'UPDATE answers SET resource = key WHERE answer IS NOT NULL',
    'UPDATE sessions SET expires = expires + 1',
  ])('of a file with a damaged row states how to go on without the row: %s', async (damage) => {
    const path = await stoppedFile();
    const read = () => {
      readSessions(path);
      return readAll(path);
    };
    const other = new DatabaseSync(path);
    other.exec(
      `INSERT INTO sessions (secret, token, expires, digest) VALUES ('s', 't', 5, '${digestOf('s', 't', '5')}')`,
    );
    other.close();
    const before = sizes(read());
    const damaged = new DatabaseSync(path);
    damaged.exec(damage);
    damaged.close();
    let refusal = '';
    try {
      read();
    } catch (error) {
      refusal = String(error);
    }
    const [, statement = ''] = /sqlite3 \S+ '(.+)'$/.exec(refusal) ?? [];

    // As the shell of SQLite does it.
    const repaired = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    repaired.exec(statement);
    repaired.close();

    const isSession = damage.includes('sessions');
    expect(readSessions(path)).toHaveLength(isSession ? 0 : 1);
    expect(before - sizes(read())).toBe(isSession ? 0 : 1);
  });
});

function sizes({ elections, jobs, answers }: ReturnType<typeof readAll>): number {
  return elections.length + jobs.length + answers.length;
}

function readSessions(path: string) {
  const file = openStore(path, { busyMs: 0 });
  try {
    return sessionLog(file).read();
  } finally {
    file.close();
  }
}
