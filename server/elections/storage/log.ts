/**
 * @module
 * The elections in the data file: the plan of each and its actions. An election is the fold of its actions,
 * so nothing else is stored, and it is restored exactly. Every write is on disk before its request is
 * answered.
 */

import type { StatementSync } from 'node:sqlite';

import type { AnswerLog } from '../../idempotency/answer-log.ts';
import type { KeyedWork } from '../../request/principal.ts';
import type { StoreFile } from '../../store/store-file.ts';
import { damagedRow, digestOf } from '../../store/store-file.ts';
import type { ElectionAction } from '../live/action.ts';
import type { ElectionPlan } from '../live/plan.ts';

/** One election as it was stored. */
export interface StoredElection {
  readonly id: string;
  readonly plan: ElectionPlan;
  readonly size: StoredSize;
  /** The actions of the election in order, which are read while they are iterated. Throws if they are damaged. */
  readonly actions: Iterable<ElectionAction>;
}

/** What is known of the actions of an election before they are read. */
export interface StoredSize {
  readonly actions: number;
  /** Approximate size as JSON, in characters. */
  readonly characters: number;
  /** Number of joins, and of advances. */
  readonly joins: number;
  readonly advances: number;
}

export interface ElectionLog {
  /** Stores an election with the actions that are not part of its plan, in one transaction. */
  created(
    id: string,
    plan: ElectionPlan,
    actions: readonly ElectionAction[],
    keyed: KeyedWork | null,
  ): void;
  /** Stores an action before it is carried out. The number that is returned can retract it. */
  acted(id: string, action: ElectionAction, keyed: KeyedWork | null): number;
  /** Removes an action that was refused. Best effort: if it fails, it is refused again when restored. */
  retract(number: number, keyed: KeyedWork | null): void;
  deleted(id: string): void;
  /** All elections in the order of their creation. Their actions are read later. */
  read(): StoredElection[];
  close(): void;
}

/** Keeps nothing. */
export const EPHEMERAL_LOG: ElectionLog = {
  created: () => undefined,
  acted: () => 0,
  retract: () => undefined,
  deleted: () => undefined,
  read: () => [],
  close: () => undefined,
};

/** The elections in a file. Closing the log closes the file. */
export function electionLog(file: StoreFile, answers: AnswerLog): ElectionLog {
  const { database } = file;
  const insertElection = database.prepare(
    'INSERT INTO elections (id, plan, digest) VALUES (?, ?, ?)',
  );
  const insertAction = database.prepare(
    'INSERT INTO actions (election, action, digest) VALUES (?, ?, ?)',
  );
  const removeAction = database.prepare('DELETE FROM actions WHERE number = ?');
  const removeElection = database.prepare('DELETE FROM elections WHERE id = ?');
  const insert = (statement: StatementSync, id: string, value: object) => {
    const text = JSON.stringify(value);
    return Number(statement.run(id, text, digestOf(id, text)).lastInsertRowid);
  };
  const resourceOf = (id: string) => `/v1/elections/${id}`;
  return {
    created: (id, plan, actions, keyed) =>
      file.write(() => {
        insert(insertElection, id, plan);
        for (const action of actions) insert(insertAction, id, action);
        answers.claim({ status: 201, resource: resourceOf(id) }, keyed);
      }),
    acted: (id, action, keyed) =>
      file.write(() => {
        answers.claim({ status: 200, resource: resourceOf(id) }, keyed);
        return insert(insertAction, id, action);
      }),
    retract: (number, keyed) =>
      file.attempt(() => {
        removeAction.run(number);
        answers.unclaim(keyed);
      }),
    deleted: (id) => void file.free(() => removeElection.run(id)),
    read: reader(file),
    close: () => file.close(),
  };
}

/** Reads elections, and the actions of each when they are iterated. */
function reader(file: StoreFile): ElectionLog['read'] {
  const { database } = file;
  const selectElections = database.prepare(
    'SELECT rowid AS row, id, plan, digest FROM elections ORDER BY number',
  );
  const selectSizes = database.prepare(
    `SELECT election, count(*) AS actions, sum(octet_length(action)) AS characters,
     sum(action LIKE '{"type":"join",%') AS joins,
     sum(action LIKE '{"type":"advance",%') AS advances FROM actions GROUP BY election`,
  );
  const selectActions = database.prepare(
    `SELECT number, election, action, digest FROM actions
     WHERE election = ? AND number > ? ORDER BY number LIMIT ${ACTIONS_AT_ONCE}`,
  );
  function* actionsOf(id: string): Iterable<ElectionAction> {
    for (let last = Number.MIN_SAFE_INTEGER, isMore = true; isMore; ) {
      const rows = file.read(() => selectActions.all(id, last));
      for (const { number, election, action, digest } of rows) {
        last = Number(number);
        yield file.read(() => {
          const read = intact(election, action, digest);
          if (read === null) throw new Error(`election ${election} is damaged`);
          return read;
        });
      }
      isMore = rows.length === ACTIONS_AT_ONCE;
    }
  }
  return () =>
    file.read(() => {
      const sizes = new Map(selectSizes.all().map((row) => [String(row.election), sizeIn(row)]));
      return selectElections.all().map((row) => {
        const id = String(row.id);
        const plan = intact(row.id, row.plan, row.digest);
        if (plan === null) throw damagedRow(file.path, `election ${id}`, 'elections', row);
        return { id, plan, size: sizes.get(id) ?? NO_ACTIONS, actions: actionsOf(id) };
      });
    });
}

const NO_ACTIONS: StoredSize = { actions: 0, characters: 0, joins: 0, advances: 0 };

function sizeIn({ actions, characters, joins, advances }: Record<string, unknown>): StoredSize {
  return {
    actions: Number(actions),
    characters: Number(characters),
    joins: Number(joins),
    advances: Number(advances),
  };
}

/** Reading this many of the longest actions takes some milliseconds. */
const ACTIONS_AT_ONCE = 64;

/** The value of a row, which is an object; null if the digest shows that it is not as it was written. */
function intact(id: unknown, text: unknown, digest: unknown): ReturnType<typeof JSON.parse> {
  return digestOf(String(id), String(text)) === digest ? JSON.parse(String(text)) : null;
}
