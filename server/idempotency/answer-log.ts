/**
 * @module
 * Where kept answers survive a restart. A key is stored with the effect of its request, the answer before
 * it is given; a server that ends in between knows afterwards that there was an effect, and where.
 */

import type { StoreFile } from '../store/store-file.ts';
import { digestOf } from '../store/store-file.ts';
import type { Effect, KeyedRequest } from './keyed-work.ts';
import { keyedWork } from './keyed-work.ts';

/** What is given again. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface StoredAnswer extends KeyedRequest, Effect {
  /** By the clock on the wall, in milliseconds. */
  readonly expires: number;
  /** Null where the server ended before it was known. */
  readonly answer: KeptAnswer | null;
}

export interface AnswerLog {
  /** Within a transaction: stores the key of the request that is worked for, once, with its effect. */
  claim(effect: Effect): void;
  /** Within a transaction: takes the claim of the request that is worked for back. */
  unclaim(): void;
  /** The request was refused after all. Best effort: the key then stays used up. */
  retract(request: KeyedRequest): void;
  /** Stores the answer to a claimed request, and forgets others. Best effort: the effect stays known. */
  kept(request: KeyedRequest, answer: KeptAnswer, forgotten: readonly KeyedRequest[]): void;
  /** All that has not expired, in the order in which it was stored; what has is removed. */
  read(): StoredAnswer[];
}

/** Keeps nothing. */
export const EPHEMERAL_ANSWERS: AnswerLog = {
  claim: () => undefined,
  unclaim: () => undefined,
  retract: () => undefined,
  kept: () => undefined,
  read: () => [],
};

/** How long an answer is kept. */
export const ANSWER_HOURS = 24;

/** The answers in a file. */
export function answerLog(file: StoreFile, nowMs: () => number = Date.now): AnswerLog {
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
  return {
    claim({ status, resource }) {
      const work = keyedWork();
      if (work === null || work.isClaimed) return;
      const { caller, key, fingerprint } = work.request;
      const expires = Math.floor(nowMs()) + ANSWER_HOURS * 3_600_000;
      const row = { caller, key, fingerprint, status, resource, expires, answer: null };
      insert.run(caller, key, fingerprint, status, resource, expires, digestOfRow(row));
      work.isClaimed = true;
      file.onUndone(() => {
        work.isClaimed = false;
      });
    },
    unclaim() {
      const work = keyedWork();
      if (work === null || !work.isClaimed) return;
      remove.run(work.request.caller, work.request.key);
      work.isClaimed = false;
      file.onUndone(() => {
        work.isClaimed = true;
      });
    },
    retract: ({ caller, key }) => attempt(() => file.write(() => remove.run(caller, key))),
    kept: ({ caller, key }, answer, forgotten) =>
      attempt(() =>
        file.write(() => {
          for (const other of forgotten) remove.run(other.caller, other.key);
          const row = find.get(caller, key);
          if (row === undefined) return;
          const text = JSON.stringify(answer);
          update.run(text, digestOfRow({ ...row, answer: text }), row.number ?? null);
        }),
      ),
    read: () =>
      file.read(() => {
        const now = Math.floor(nowMs());
        // Looked at before any is removed: a damaged time may say anything.
        const stored = select.all().map(storedAnswer);
        attempt(() => file.write(() => expire.run(now)));
        return stored.filter(({ expires }) => expires > now);
      }),
  };
}

function attempt(work: () => unknown): void {
  try {
    work();
  } catch {
    // The file tells whoever runs the server.
  }
}

type Row = Readonly<Record<string, unknown>>;

/** Columns that were checked against their digest are as we wrote them. */
function storedAnswer(row: Row): StoredAnswer {
  if (row.digest !== digestOfRow(row)) throw new Error(`answer ${row.number} is damaged`);
  const { caller, key, fingerprint, status, resource, expires, answer } = row;
  return {
    ...{ caller: String(caller), key: String(key), fingerprint: String(fingerprint) },
    ...{ status: Number(status), resource: String(resource), expires: Number(expires) },
    answer: answer === null ? null : JSON.parse(String(answer)),
  };
}

function digestOfRow({ caller, key, fingerprint, status, resource, expires, answer }: Row): string {
  const parts = [caller, key, fingerprint, status, resource, expires, answer ?? ''];
  return digestOf(...parts.map(String));
}
