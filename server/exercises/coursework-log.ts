/**
 * @module
 * What a course keeps besides submissions, as entries of a kind with a key each, in the data file or nowhere.
 */

import type { StoreFile } from '../store/store-file.ts';
import { damagedRow, digestOf } from '../store/store-file.ts';

/** The kinds of entries. */
export type CourseworkKind = 'decision' | 'forgery' | 'hint' | 'member' | 'reset' | 'start';

export interface CourseworkEntry {
  readonly key: string;
  /** The content that was passed to `put`. */
  readonly content: unknown;
}

/** An entry with its kind, to be written in a transaction with other changes. */
export interface KindedEntry {
  readonly kind: CourseworkKind;
  readonly key: string;
  readonly content: object;
}

export interface CourseworkLog {
  /** Stores an entry in place of that with the same key. Throws OverloadError `storage.unavailable`. */
  put(kind: CourseworkKind, key: string, content: object): void;
  /** Stores several entries in one transaction. Throws OverloadError `storage.unavailable`. */
  putAll(entries: readonly KindedEntry[]): void;
  /** Throws OverloadError `storage.unavailable`. */
  remove(kind: CourseworkKind, key: string): void;
  /** In the order in which the keys were first stored. */
  read(kind: CourseworkKind): readonly CourseworkEntry[];
}

/** Keeps nothing. */
export const EPHEMERAL_COURSEWORK: CourseworkLog = {
  put: () => undefined,
  putAll: () => undefined,
  remove: () => undefined,
  read: () => [],
};

/** Writes an entry within a transaction. */
export function entryWriter({ database }: Pick<StoreFile, 'database'>): CourseworkLog['put'] {
  const insert = database.prepare(
    `INSERT INTO coursework (kind, key, content, digest) VALUES (?, ?, ?, ?)
     ON CONFLICT (kind, key) DO UPDATE SET content = excluded.content, digest = excluded.digest`,
  );
  return (kind, key, content) => {
    const text = JSON.stringify(content);
    insert.run(kind, key, text, digestOf(kind, key, text));
  };
}

/** The entries in a file. */
export function courseworkLog(file: StoreFile): CourseworkLog {
  const { path, database, write, read } = file;
  const insert = entryWriter(file);
  const remove = database.prepare('DELETE FROM coursework WHERE kind = ? AND key = ?');
  const select = database.prepare('SELECT * FROM coursework WHERE kind = ? ORDER BY number');
  return {
    put: (kind, key, content) => write(() => insert(kind, key, content)),
    putAll: (entries) =>
      write(() => {
        for (const { kind, key, content } of entries) insert(kind, key, content);
      }),
    remove: (kind, key) => void write(() => remove.run(kind, key)),
    read: (kind) =>
      read(() =>
        select.all(kind).map((row) => {
          const [key, text] = [String(row.key), String(row.content)];
          if (digestOf(kind, key, text) !== row.digest) {
            throw damagedRow(path, `${kind} ${key}`, 'coursework', { row: row.number });
          }
          return { key, content: JSON.parse(text) };
        }),
      ),
  };
}
