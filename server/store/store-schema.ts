/**
 * @module
 * The tables of the data file, as the steps that migrate a file of each version to the next. A released
 * step is never changed; a change is a further step.
 */

import type { DatabaseSync } from 'node:sqlite';

import { openDatabase } from '../../src/runtime/files/sqlite.ts';

/** "usrp". Distinguishes the file from databases of other programs. */
export const APPLICATION_ID = 0x75737270;

/** The statements from version n to n + 1, at index n. */
export const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE elections (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      plan TEXT NOT NULL,
      digest TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE actions (
      number INTEGER PRIMARY KEY,
      election TEXT NOT NULL REFERENCES elections(id) ON DELETE CASCADE,
      action TEXT NOT NULL,
      digest TEXT NOT NULL
    ) STRICT`,
    'CREATE INDEX actions_of_election ON actions(election, number)',
    // `state` is null until the job is over. `place` then orders the jobs that are over.
    `CREATE TABLE jobs (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      caller TEXT NOT NULL,
      request BLOB NOT NULL,
      state BLOB,
      place INTEGER,
      digest TEXT NOT NULL
    ) STRICT`,
    // `answer` is null between the commit of a request's effect and that of its answer.
    `CREATE TABLE answers (
      number INTEGER PRIMARY KEY,
      caller TEXT NOT NULL,
      key TEXT NOT NULL,
      fingerprint TEXT NOT NULL,
      status INTEGER NOT NULL,
      resource TEXT NOT NULL,
      expires INTEGER NOT NULL,
      answer TEXT,
      digest TEXT NOT NULL,
      UNIQUE (caller, key)
    ) STRICT`,
    // `store` identifies the data file: files beside it carry the same value. `log` identifies the content of
    // the write-ahead log, `previous` the one before (store-log.ts). `probes` changes when a write is tried.
    `CREATE TABLE state (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      closed INTEGER NOT NULL,
      store TEXT NOT NULL,
      log TEXT NOT NULL,
      previous TEXT NOT NULL,
      probes INTEGER NOT NULL
    ) STRICT`,
    `INSERT INTO state (one, closed, store, log, previous, probes)
     VALUES (1, 1, lower(hex(randomblob(16))), lower(hex(randomblob(8))), '', 0)`,
    // `code` is the digest of the join code, or empty. The owner of an election is in its plan.
    `CREATE TABLE shares (
      election TEXT PRIMARY KEY REFERENCES elections(id) ON DELETE CASCADE,
      mode TEXT NOT NULL,
      code TEXT NOT NULL,
      expires INTEGER NOT NULL,
      participants INTEGER NOT NULL,
      digest TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE participants (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      election TEXT NOT NULL REFERENCES elections(id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      token TEXT NOT NULL,
      digest TEXT NOT NULL
    ) STRICT`,
    'CREATE INDEX participants_of_election ON participants(election)',
    `CREATE TABLE sessions (
      number INTEGER PRIMARY KEY,
      secret TEXT NOT NULL UNIQUE,
      token TEXT NOT NULL,
      expires INTEGER NOT NULL,
      digest TEXT NOT NULL
    ) STRICT`,
    // Submissions to exercises that were evaluated. Of a version of an exercise, a student has one solve.
    `CREATE TABLE submissions (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      student TEXT NOT NULL,
      exercise TEXT NOT NULL,
      version INTEGER NOT NULL,
      content TEXT NOT NULL,
      digest TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE solves (
      student TEXT NOT NULL,
      exercise TEXT NOT NULL,
      version INTEGER NOT NULL,
      submission TEXT NOT NULL REFERENCES submissions(id),
      PRIMARY KEY (student, exercise, version)
    ) STRICT`,
    `CREATE TABLE suspicions (
      number INTEGER PRIMARY KEY,
      content TEXT NOT NULL,
      digest TEXT NOT NULL
    ) STRICT`,
    // What is kept of coursework besides submissions, by kind.
    `CREATE TABLE coursework (
      number INTEGER PRIMARY KEY,
      kind TEXT NOT NULL,
      key TEXT NOT NULL,
      content TEXT NOT NULL,
      digest TEXT NOT NULL,
      UNIQUE (kind, key)
    ) STRICT`,
    `PRAGMA application_id = ${APPLICATION_ID}`,
  ],
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Statements that migrate a file from one version to a later one, in one transaction. */
export function migration(from: number, to: number = SCHEMA_VERSION): readonly string[] {
  if (from === to) return [];
  return [
    'BEGIN IMMEDIATE',
    ...MIGRATIONS.slice(from, to).flat(),
    `PRAGMA user_version = ${to}`,
    'COMMIT',
  ];
}

/** Whether the file has the tables of a version with their constraints, whose text can be damaged. */
export function hasSchemaOf(database: DatabaseSync, version: number): boolean {
  const model = openDatabase(':memory:');
  try {
    for (const statement of migration(0, version)) model.exec(statement);
    return schemaOf(model) === schemaOf(database);
  } finally {
    model.close();
  }
}

/** Ignores spaces, because a version may be indented differently. */
function schemaOf(database: DatabaseSync): string {
  const query = 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name';
  const rows = database.prepare(query).all();
  return JSON.stringify(rows.map((row) => Object.values(row).join('|').replaceAll(/\s+/g, ' ')));
}
