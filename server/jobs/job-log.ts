/**
 * @module
 * The jobs in the data file: the request of each, and its record once it is over. A job that was queued or
 * running when the server stopped is not executed again, because it may have stopped the server; it is
 * reported as interrupted. Requests and records are stored as structured clones, the form in which
 * worker threads receive and send them.
 */

import { deserialize, serialize } from 'node:v8';

import type { AnswerLog } from '../idempotency/answer-log.ts';
import type { KeyedWork } from '../request/principal.ts';
import type { Row, StoreFile } from '../store/store-file.ts';
import { damagedRow, digestOf } from '../store/store-file.ts';

/** A job of one kind as it was stored. */
export interface StoredJob {
  readonly id: string;
  readonly caller: string;
  readonly createdMs: number;
  readonly request: unknown;
  /** The record that was passed to `over`; null for a job that was not over. */
  readonly record: unknown;
}

export type JobLog = ReturnType<typeof jobLog>;

/** The jobs of a kind in a file. */
export function jobLog(file: StoreFile, answers: AnswerLog, kind: string) {
  const { database } = file;
  const insert = database.prepare(
    'INSERT INTO jobs (id, kind, caller, request, digest) VALUES (?, ?, ?, ?, ?)',
  );
  const find = database.prepare('SELECT *, place AS ordinal FROM jobs WHERE id = ?');
  const last = database.prepare('SELECT coalesce(max(place), 0) AS last FROM jobs');
  const update = database.prepare('UPDATE jobs SET state = ?, place = ?, digest = ? WHERE id = ?');
  const remove = database.prepare('DELETE FROM jobs WHERE id = ?');
  const select = database.prepare(
    'SELECT *, place AS ordinal, rowid AS row FROM jobs ORDER BY place IS NULL, place, number',
  );
  return {
    /** Stores a job and the key of its request. Throws OverloadError `storage.unavailable`. */
    submitted(
      { id, caller, createdMs, request }: Omit<StoredJob, 'record'>,
      resource: string,
      keyed: KeyedWork | null,
    ): void {
      file.write(() => {
        const bytes = serialize({ createdMs, request });
        const row = { id, kind, caller, request: bytes, state: null, ordinal: null };
        insert.run(id, kind, caller, bytes, digestOfRow(row));
        answers.claim({ status: 202, resource }, keyed);
      });
    },
    /** Throws OverloadError `storage.unavailable`. */
    over(id: string, record: object): void {
      file.write(() => {
        const row = find.get(id);
        if (row === undefined) return;
        const state = serialize(record);
        const ordinal = Number(last.get()?.last) + 1;
        update.run(state, ordinal, digestOfRow({ ...row, state, ordinal }), id);
      });
    },
    /** Throws OverloadError `storage.unavailable`. */
    removed(id: string): void {
      file.free(() => remove.run(id));
    },
    /** Calls the function whenever records can be stored again after a failure. */
    onRecovered: (listener: () => void) => file.onRecovered(listener),
    /** Best effort: a job that stays is forgotten again after the next restart. */
    forgotten(id: string): void {
      file.attempt(() => remove.run(id));
    },
    /** The jobs that are over, in the order in which they ended, then the others as they were submitted. */
    read(): StoredJob[] {
      return file.read(() => {
        // All kinds are examined, because a damaged row may have the wrong kind.
        const rows = select.all();
        const damaged = rows.find((row) => row.digest !== digestOfRow(row));
        if (damaged !== undefined) {
          throw damagedRow(file.path, `job ${damaged.id}`, 'jobs', damaged);
        }
        return rows.filter((row) => row.kind === kind).map(storedJob);
      });
    },
  };
}

function storedJob({ id, caller, request, state }: Row): StoredJob {
  // As `submitted` has stored it.
  const stored = deserialize(bytesOf(request)) as Pick<StoredJob, 'createdMs' | 'request'>;
  return {
    ...stored,
    id: String(id),
    caller: String(caller),
    record: state === null ? null : deserialize(bytesOf(state)),
  };
}

function digestOfRow({ id, kind, caller, request, state, ordinal }: Row): string {
  const [requested, ended] = [bytesOf(request), bytesOf(state)];
  const texts = [id, kind, caller, ordinal ?? '', requested.length].map(String);
  return digestOf(...texts, requested, ended);
}

function bytesOf(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array(0);
}
