/**
 * @module
 * The answers in the data file. The key of a request is stored with its effect, in one transaction, and
 * its answer before the caller receives it. A server that stops in between finds the key at its next
 * start, and knows that there was an effect and where it can be read.
 */

import type { Effect, KeyedRequest, KeyedWork } from '../request/principal.ts';
import type { Row, StoreFile } from '../store/store-file.ts';
import { damagedRow, digestOf } from '../store/store-file.ts';

/** An answer that can be sent again. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface StoredAnswer extends KeyedRequest, Effect {
  /** Wall-clock time in milliseconds. */
  readonly expires: number;
  /** Null if the server stopped before it was known. */
  readonly answer: KeptAnswer | null;
}

export type AnswerLog = ReturnType<typeof answerLog>;

export const ANSWER_HOURS = 24;

export function answerLog(file: StoreFile, nowMs: () => number = Date.now) {
  const { database } = file;
  const insert = database.prepare(
    `INSERT INTO answers (caller, key, fingerprint, status, resource, expires, digest)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (caller, key) DO UPDATE SET
     fingerprint = excluded.fingerprint, status = excluded.status, resource = excluded.resource,
     expires = excluded.expires, answer = NULL, digest = excluded.digest`,
  );
  const find = database.prepare('SELECT * FROM answers WHERE caller = ? AND key = ?');
  const update = database.prepare('UPDATE answers SET answer = ?, digest = ? WHERE number = ?');
  const remove = database.prepare('DELETE FROM answers WHERE caller = ? AND key = ?');
  const expire = database.prepare('DELETE FROM answers WHERE expires <= ?');
  const select = database.prepare('SELECT * FROM answers ORDER BY number');
  const setClaimed = (keyed: KeyedWork, isClaimed: boolean) => {
    keyed.isClaimed = isClaimed;
    file.onUndone(() => {
      keyed.isClaimed = !isClaimed;
    });
  };
  return {
    /** Within a transaction: stores the key of a request with its effect, once. */
    claim({ status, resource }: Effect, keyed: KeyedWork | null): void {
      if (keyed === null || keyed.isOver || keyed.isClaimed) return;
      const { caller, key, fingerprint } = keyed.request;
      const expires = Math.floor(nowMs()) + ANSWER_HOURS * 3_600_000;
      const row = { caller, key, fingerprint, status, resource, expires, answer: null };
      insert.run(caller, key, fingerprint, status, resource, expires, digestOfRow(row));
      setClaimed(keyed, true);
    },
    /** Within a transaction: removes the key again. */
    unclaim(keyed: KeyedWork | null): void {
      if (keyed === null || keyed.isOver || !keyed.isClaimed) return;
      remove.run(keyed.request.caller, keyed.request.key);
      setClaimed(keyed, false);
    },
    /** Removes the key of a request that was refused. Best effort: if it fails, the key stays in use. */
    retract({ caller, key }: KeyedRequest): void {
      file.attempt(() => remove.run(caller, key));
    },
    /** Stores an answer and removes others. Best effort: if it fails, the effect stays known. */
    kept(
      { caller, key }: KeyedRequest,
      answer: KeptAnswer,
      forgotten: readonly KeyedRequest[],
    ): void {
      file.attempt(() => {
        for (const other of forgotten) remove.run(other.caller, other.key);
        const row = find.get(caller, key);
        if (row === undefined) return;
        const text = JSON.stringify(answer);
        update.run(text, digestOfRow({ ...row, answer: text }), row.number ?? null);
      });
    },
    /** Removes the expired answers and returns the others, in the order in which they were stored. */
    read(): StoredAnswer[] {
      return file.read(() => {
        const now = Math.floor(nowMs());
        // Examined before any is removed, because a damaged time may have any value.
        const stored = select.all().map((row) => storedAnswer(file.path, row));
        file.attempt(() => expire.run(now));
        return stored.filter(({ expires }) => expires > now);
      });
    },
  };
}

/** The columns are as they were written, because the digest covers them. */
function storedAnswer(path: string, row: Row): StoredAnswer {
  if (row.digest !== digestOfRow(row)) {
    throw damagedRow(path, `answer ${row.number}`, 'answers', { row: row.number });
  }
  const { caller, key, fingerprint, status, resource, expires, answer } = row;
  return {
    caller: String(caller),
    key: String(key),
    fingerprint: String(fingerprint),
    status: Number(status),
    resource: String(resource),
    expires: Number(expires),
    answer: answer === null ? null : JSON.parse(String(answer)),
  };
}

function digestOfRow({ caller, key, fingerprint, status, resource, expires, answer }: Row): string {
  const parts = [caller, key, fingerprint, status, resource, expires, answer ?? ''];
  return digestOf(...parts.map(String));
}
