/**
 * @module
 * Where elections survive a restart: what each was made from and the actions it was sent, in SQLite.
 * An election is the fold over its actions, so nothing else is stored, and it comes back exactly as
 * it was. Every write is on disk (WAL, `synchronous=FULL`) before its request is answered.
 */

import type { StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '../src/bytes.ts';
import { LabError } from '../src/errors.ts';
import type { ElectionAction } from './election-action.ts';
import type { ElectionPlan } from './election-request.ts';
import { OverloadError } from './problem.ts';

/** One election as it was stored. */
export interface StoredElection {
  readonly id: string;
  readonly plan: ElectionPlan;
  readonly actions: readonly ElectionAction[];
}

export interface ElectionLog {
  /** Stores an election and what was done to it since it was made, all or nothing. */
  made(id: string, plan: ElectionPlan, actions: readonly ElectionAction[]): void;
  /** Stores an action before it is carried out; the number is for taking it back. */
  acted(id: string, action: ElectionAction): number;
  /** Takes back an action that changed nothing. Best effort: replayed, it would be refused again. */
  retract(number: number): void;
  deleted(id: string): void;
  /** Everything stored, in the order in which it was made. */
  read(): StoredElection[];
  close(): void;
}

/** Keeps nothing. */
export const EPHEMERAL_LOG: ElectionLog = {
  made: () => undefined,
  acted: () => 0,
  retract: () => undefined,
  deleted: () => undefined,
  read: () => [],
  close: () => undefined,
};

const SCHEMA_VERSION = 1;
/** "usrp": tells our files from other programs' databases. */
const APPLICATION_ID = 0x75737270;
/** Only opening can meet another user of the file; once open it is ours alone. */
const BUSY_TIMEOUT_MS = 1_000;
/** Nobody knows when a disk has room again. */
const RETRY_AFTER_S = 10;

const SCHEMA = `
  CREATE TABLE elections (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    plan TEXT NOT NULL,
    digest TEXT NOT NULL
  ) STRICT;
  CREATE TABLE actions (
    number INTEGER PRIMARY KEY,
    election TEXT NOT NULL REFERENCES elections(id) ON DELETE CASCADE,
    action TEXT NOT NULL,
    digest TEXT NOT NULL
  ) STRICT;
  CREATE INDEX actions_of_election ON actions(election, number);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/**
 * Opens or makes the file. Throws LabError `file.unreadable` for a file that is no database of ours,
 * damaged, or of a newer version; it is left as it was.
 */
export function openElectionLog(path: string): ElectionLog {
  if (path === '' || path.startsWith(':')) {
    throw new LabError('arguments', '--data wants the name of a file; --ephemeral keeps nothing');
  }
  return guardOpening(path, () => logOver(path, openDatabase(path)));
}

function logOver(path: string, database: DatabaseSync): ElectionLog {
  const insertElection = database.prepare(
    'INSERT INTO elections (id, plan, digest) VALUES (?, ?, ?)',
  );
  const insertAction = database.prepare(
    'INSERT INTO actions (election, action, digest) VALUES (?, ?, ?)',
  );
  const removeAction = database.prepare('DELETE FROM actions WHERE number = ?');
  const removeElection = database.prepare('DELETE FROM elections WHERE id = ?');
  const selectElections = database.prepare(
    'SELECT id, plan, digest FROM elections ORDER BY number',
  );
  const selectActions = database.prepare(
    'SELECT election, action, digest FROM actions WHERE election = ? ORDER BY number',
  );
  const insert = (statement: StatementSync, id: string, value: object) => {
    const text = JSON.stringify(value);
    return write(statement, id, text, digestOf(id, text));
  };
  return {
    made: (id, plan, actions) =>
      inTransaction(database, () => {
        insert(insertElection, id, plan);
        for (const action of actions) insert(insertAction, id, action);
      }),
    acted: (id, action) => insert(insertAction, id, action),
    retract(number) {
      try {
        removeAction.run(number);
      } catch {
        // It stays, and is refused again whenever it is replayed.
      }
    },
    deleted: (id) => void write(removeElection, id),
    read: () =>
      guardOpening(path, () =>
        selectElections.all().map((row) => ({
          id: String(row.id),
          plan: intact(row.id, row.plan, row.digest),
          actions: selectActions
            .all(String(row.id))
            .map(({ election, action, digest }) => intact(election, action, digest)),
        })),
      ),
    close: () => database.close(),
  };
}

/** Ties a row to its election, so that a flipped bit is noticed and not replayed. */
function digestOf(id: string, text: string): string {
  return bytesToHex(sha256(utf8ToBytes(`${id}\0${text}`)));
}

/** The value of a row; what we wrote ourselves needs no further parsing. */
function intact(id: unknown, text: unknown, digest: unknown): ReturnType<typeof JSON.parse> {
  if (digestOf(String(id), String(text)) !== digest) throw foreign(`election ${id} is damaged`);
  return JSON.parse(String(text));
}

function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    const { user_version: version } = row(database, 'PRAGMA user_version');
    const { application_id: application } = row(database, 'PRAGMA application_id');
    const { count } = row(database, 'SELECT count(*) AS count FROM sqlite_schema');
    const isNew = count === 0;
    if (!isNew && application !== APPLICATION_ID) throw foreign('it belongs to another program');
    if (!isNew && version !== SCHEMA_VERSION) {
      throw foreign(`its version is ${version}, this usurp reads ${SCHEMA_VERSION}`);
    }
    // One server a file: two would each acknowledge what the other contradicts.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    database.exec('PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;');
    database.exec(isNew ? `BEGIN IMMEDIATE; ${SCHEMA} COMMIT;` : 'BEGIN IMMEDIATE; COMMIT;');
    const { quick_check: check } = row(database, 'PRAGMA quick_check(1)');
    if (check !== 'ok') throw foreign(`it is damaged: ${check}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function row(database: DatabaseSync, query: string): Record<string, unknown> {
  return database.prepare(query).get() ?? {};
}

function foreign(why: string): LabError {
  return new LabError('file.unreadable', why);
}

/** What goes wrong while reading the file is a fault of the file, named with it. */
function guardOpening<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const remedy = /locked|busy/.test(why) ? '; is another server using it?' : '';
    throw new LabError('file.unreadable', `--data ${path} cannot be used: ${why}${remedy}`);
  }
}

/** What goes wrong while writing is a fault of the machine, which may pass. */
function write(statement: StatementSync, ...values: readonly string[]): number {
  return guardWriting(() => Number(statement.run(...values).lastInsertRowid));
}

/** One commit, one wait for the disk, however much there is to write. */
function inTransaction(database: DatabaseSync, work: () => void): void {
  guardWriting(() => database.exec('BEGIN IMMEDIATE'));
  try {
    work();
    guardWriting(() => database.exec('COMMIT'));
  } catch (error) {
    // SQLite has rolled back by itself after some errors, a full disk for one.
    if (database.isTransaction) guardWriting(() => database.exec('ROLLBACK'));
    throw error;
  }
}

function guardWriting<T>(work: () => T): T {
  try {
    return work();
  } catch {
    const detail = 'the store could not be written; nothing of this request was kept';
    throw new OverloadError('storage.unavailable', detail, RETRY_AFTER_S);
  }
}
