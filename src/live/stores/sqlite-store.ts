/**
 * @module
 * A file of SQLite as a store: one database for all processes of one machine, without a server and without a clock. A
 * write is one transaction that is on the disk when it is answered. While another process has locked the file, operations
 * are lost. There is no server that could outlive a paused node: one that is stopped inside its transaction locks out the
 * others until it continues, so that a transaction contains nothing but the comparison and the write.
 */

import type { DatabaseSync } from 'node:sqlite';
import { LabError } from '../../errors.ts';
import { openDatabase } from '../../runtime/files/sqlite.ts';
import type { Cells } from './cells.ts';
import { CELL_CHARACTERS_MAX, cellServices } from './cells.ts';
import type { LiveStore, StoreUse } from './live-store.ts';
import { malformedContent, StoreAway, storeOfServices } from './live-store.ts';

/** How long a node waits for a lock. It can do nothing else meanwhile. */
const LOCK_MS_MAX = 20;
/** How long a node waits for a lock when it begins: as long as another node may be paused inside its transaction. */
const START_MS_MAX = 10_000;
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS cells (election TEXT, name TEXT, version INTEGER, text TEXT, PRIMARY KEY (election, name)) STRICT;
  CREATE TABLE IF NOT EXISTS writes (count INTEGER) STRICT;
  INSERT INTO writes SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM writes);
`;

/** Opens or makes the file. Throws LabError `storage.unavailable`. */
export async function openSqliteStore(path: string, use: StoreUse): Promise<LiveStore> {
  const database = openedFile(path);
  const services = cellServices(cellsIn(database, path, use.election), use);
  const store = await storeOfServices(services, use, async () => database.close());
  database.exec(`PRAGMA busy_timeout=${LOCK_MS_MAX}`);
  return store;
}

function openedFile(path: string): DatabaseSync {
  let database: DatabaseSync | null = null;
  try {
    // Nodes that make the file at the same time wait for each other.
    database = openDatabase(path, { timeout: START_MS_MAX });
    database.exec(
      `PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; BEGIN IMMEDIATE; ${SCHEMA} COMMIT;`,
    );
    return database;
  } catch (error) {
    database?.close();
    const cause = error instanceof Error ? error.message : String(error);
    throw new LabError(
      'storage.unavailable',
      `${path} cannot be the store: ${cause}; name another file with sqlite:`,
    );
  }
}

function cellsIn(database: DatabaseSync, path: string, election: string): Cells {
  const where = (name: string) => `${name} of the election ${election} in ${path}`;
  const select = database.prepare(
    `SELECT count AS revision, version, substr(text, 1, ${CELL_CHARACTERS_MAX + 1}) AS text FROM writes LEFT JOIN cells ON election = ? AND name = ?`,
  );
  const insert = database.prepare(
    'INSERT INTO cells (version, text, election, name) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  // If a cell is lost after it was read, no row has this version. The cell is then not created again.
  const update = database.prepare(
    'UPDATE cells SET version = ?, text = ? WHERE election = ? AND name = ? AND version = ?',
  );
  const count = database.prepare('UPDATE writes SET count = max(count + 1, ?) RETURNING count');
  return {
    where,
    raises: true,
    async read(name) {
      const row = inReach(where(name), () => select.get(election, name));
      const { revision, version, text } = row ?? {};
      return { text, version: version ?? 0, revision };
    },
    async swap(name, version, text, least) {
      return inReach(where(name), () => {
        database.exec('BEGIN IMMEDIATE');
        try {
          const cell = [version + 1, text, election, name] as const;
          const { changes } = version === 0 ? insert.run(...cell) : update.run(...cell, version);
          const revision = changes === 1 ? Number(count.get(least)?.count) : null;
          database.exec(revision === null ? 'ROLLBACK' : 'COMMIT');
          return revision;
        } catch (error) {
          if (database.isTransaction) database.exec('ROLLBACK');
          throw error;
        }
      });
    },
  };
}

/** Result codes of a file that is not the database that nodes made: ERROR (such as a missing table), CORRUPT, NOTADB. */
const DAMAGED: readonly unknown[] = [1, 11, 26];

/** A file that is locked, full or gone is out of reach. */
function inReach<Result>(where: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isDamaged = 'errcode' in error && DAMAGED.includes(error.errcode);
    // A number in the file that is not exact in JavaScript.
    const isInexact = 'code' in error && error.code === 'ERR_OUT_OF_RANGE';
    if (isDamaged || isInexact) throw malformedContent(where, error.message);
    if ('errcode' in error) throw new StoreAway(error.message);
    throw error;
  }
}
