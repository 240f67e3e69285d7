/**
 * @module
 * Where jobs survive a restart, as records: what was asked, and what came of it once it is over. A job
 * that was waiting or executing when the server ended is not taken up again, since it may be what ended
 * the server; it is told as interrupted. Requests and results are stored as structured clones, the form
 * in which worker threads get and give them.
 */

import { deserialize, serialize } from 'node:v8';

import type { AnswerLog } from '../idempotency/answer-log.ts';
import type { StoreFile } from '../store/store-file.ts';
import { digestOf } from '../store/store-file.ts';

/** A job of one kind as it was stored. */
export interface StoredJob {
  readonly id: string;
  readonly caller: string;
  readonly request: unknown;
  /** As it was given to `over`; null for a job that was not over. */
  readonly state: unknown;
}

/** The jobs of one kind. */
export interface JobLog {
  /** Throws OverloadError `storage.unavailable`. */
  submitted(job: Omit<StoredJob, 'state'>, resource: string): void;
  /** Throws OverloadError `storage.unavailable`. */
  over(id: string, state: object): void;
  /** Best effort: one that stays is forgotten again after the next restart. */
  forgotten(id: string): void;
  /** Those that are over in the order in which they ended, then the others as they came. */
  read(): StoredJob[];
}

/** Keeps nothing. */
export const EPHEMERAL_JOBS: JobLog = {
  submitted: () => undefined,
  over: () => undefined,
  forgotten: () => undefined,
  read: () => [],
};

/** The jobs of a kind in a file. */
export function jobLog(file: StoreFile, answers: AnswerLog, kind: string): JobLog {
  const { database } = file;
  const insert = database.prepare(
    'INSERT INTO jobs (id, kind, caller, request, digest) VALUES (?, ?, ?, ?, ?)',
  );
  const find = database.prepare('SELECT * FROM jobs WHERE id = ?');
  const last = database.prepare('SELECT coalesce(max(place), 0) AS place FROM jobs');
  const update = database.prepare('UPDATE jobs SET state = ?, place = ?, digest = ? WHERE id = ?');
  const remove = database.prepare('DELETE FROM jobs WHERE id = ?');
  const select = database.prepare('SELECT * FROM jobs ORDER BY place IS NULL, place, number');
  return {
    submitted: ({ id, caller, request }, resource) =>
      file.write(() => {
        const bytes = serialize(request);
        const row = { id, kind, caller, request: bytes, state: null, place: null };
        insert.run(id, kind, caller, bytes, digestOfRow(row));
        answers.claim({ status: 202, resource });
      }),
    over: (id, state) =>
      file.write(() => {
        const row = find.get(id);
        if (row === undefined) return;
        const bytes = serialize(state);
        const place = Number(last.get()?.place) + 1;
        update.run(bytes, place, digestOfRow({ ...row, state: bytes, place }), id);
      }),
    forgotten(id) {
      try {
        file.write(() => remove.run(id));
      } catch {
        // The file tells whoever runs the server.
      }
    },
    read: () =>
      file.read(() => {
        // All are looked at: one that is damaged may say that it is of another kind.
        const rows = select.all();
        for (const row of rows) assertIntact(row);
        return rows.filter((row) => row.kind === kind).map(storedJob);
      }),
  };
}

type Row = Readonly<Record<string, unknown>>;

function assertIntact(row: Row): void {
  if (row.digest !== digestOfRow(row)) throw new Error(`job ${row.id} is damaged`);
}

function storedJob(row: Row): StoredJob {
  const { id, caller, request, state } = row;
  return {
    ...{ id: String(id), caller: String(caller), request: deserialize(bytesOf(request)) },
    state: state === null ? null : deserialize(bytesOf(state)),
  };
}

function digestOfRow({ id, kind, caller, request, state, place }: Row): string {
  const [asked, came] = [bytesOf(request), bytesOf(state)];
  const texts = [id, kind, caller, place ?? '', asked.length].map(String);
  return digestOf(...texts, asked, came);
}

function bytesOf(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array(0);
}
