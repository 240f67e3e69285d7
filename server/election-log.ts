/**
 * @module
 * Where elections survive a restart: what each was made from and the actions it was sent, in SQLite.
 * An election is the fold over its actions, so nothing else is stored, and it comes back exactly as
 * it was. Every write is on disk (WAL, `synchronous=FULL`) before its request is answered.
 */

import type { StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';
import { LabError } from '../src/errors.ts';
import type { ElectionPlan } from './election-request.ts';
import type { ElectionAction } from './live-election.ts';
import { OverloadError } from './problem.ts';

/** One election as it was stored. */
export interface StoredElection {
  readonly id: string;
  readonly plan: ElectionPlan;
  readonly actions: readonly ElectionAction[];
}

export interface ElectionLog {
  made(id: string, plan: ElectionPlan): void;
  acted(id: string, action: ElectionAction): void;
  deleted(id: string): void;
  /** Everything stored, in the order in which it was made. */
  read(): StoredElection[];
  close(): void;
}

/** Keeps nothing. */
export const EPHEMERAL_LOG: ElectionLog = {
  made: () => undefined,
  acted: () => undefined,
  deleted: () => undefined,
  read: () => [],
  close: () => undefined,
};

const SCHEMA_VERSION = 1;
/** "usrp": tells our files from other programs' databases. */
const APPLICATION_ID = 0x75737270;
const BUSY_TIMEOUT_MS = 5_000;
/** Nobody knows when a disk has room again. */
const RETRY_AFTER_S = 10;

const SCHEMA = `
  CREATE TABLE elections (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    plan TEXT NOT NULL
  ) STRICT;
  CREATE TABLE actions (
    number INTEGER PRIMARY KEY,
    election TEXT NOT NULL REFERENCES elections(id) ON DELETE CASCADE,
    action TEXT NOT NULL
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
  const database = guardOpening(path, () => openDatabase(path));
  const insertElection = database.prepare('INSERT INTO elections (id, plan) VALUES (?, ?)');
  const insertAction = database.prepare('INSERT INTO actions (election, action) VALUES (?, ?)');
  const removeElection = database.prepare('DELETE FROM elections WHERE id = ?');
  const selectElections = database.prepare('SELECT id, plan FROM elections ORDER BY number');
  const selectActions = database.prepare(
    'SELECT action FROM actions WHERE election = ? ORDER BY number',
  );
  return {
    made: (id, plan) => write(insertElection, id, JSON.stringify(plan)),
    acted: (id, action) => write(insertAction, id, JSON.stringify(action)),
    deleted: (id) => write(removeElection, id),
    read: () =>
      guardOpening(path, () =>
        selectElections.all().map(({ id, plan }) => ({
          id: String(id),
          plan: JSON.parse(String(plan)),
          actions: selectActions.all(String(id)).map(({ action }) => JSON.parse(String(action))),
        })),
      ),
    close: () => database.close(),
  };
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
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    database.exec('PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;');
    if (isNew) database.exec(`BEGIN; ${SCHEMA} COMMIT;`);
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
    throw new LabError('file.unreadable', `--data ${path} cannot be used: ${why}`);
  }
}

/** What goes wrong while writing is a fault of the machine, which may pass. */
function write(statement: StatementSync, ...values: readonly string[]): void {
  try {
    statement.run(...values);
  } catch {
    const detail = 'the store could not be written; nothing of this request was kept';
    throw new OverloadError('storage.unavailable', detail, RETRY_AFTER_S);
  }
}
