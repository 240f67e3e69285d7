/**
 * @module
 * Which messages of earlier lives a node refuses as replays (L3). Its machine loses in a crash which numbers have counted.
 * The highest one of each sender is therefore on disk: after a restart only higher ones are new. Messages that were under
 * way at the crash are lost.
 */

import { performance } from 'node:perf_hooks';
import type { DatabaseSync } from 'node:sqlite';
import type { SealedMessage } from '../election/authentication/authenticated.ts';
import type { Rank } from '../election/machine.ts';

/** How long the number of a heartbeat is in memory only. After a kill in this time one replay of it would count. */
const HEARD_MS_MAX = 100;

/** By rank, the highest number that has counted. */
export type Highest = Readonly<Record<string, number>>;

/** The number of a message, and whose number it is. */
export interface Numbered {
  readonly by: Rank;
  readonly number: number;
}

/** Who says to have signed a message; `from` without a seal that names another one. */
export function signerIn(from: Rank, { seal }: SealedMessage): Rank | null {
  const { by = from } = Object(seal) as Partial<Numbered>; // A seal comes from outside: it can be anything.
  return typeof by === 'string' ? by : null;
}

/** The number that a message states; null without one. */
export function numberedIn(from: Rank, message: SealedMessage): Numbered | null {
  const by = signerIn(from, message);
  const { number } = Object(message.seal) as Partial<Numbered>; // The same.
  if (by === null || typeof number !== 'number') return null;
  return Number.isSafeInteger(number) ? { by, number } : null;
}

export class HeardNumbers {
  readonly #before: ReadonlyMap<string, number>;
  readonly #highest = new Map<string, number>();

  /** `before` is of the earlier lives. */
  constructor(before: Highest) {
    this.#before = new Map(Object.entries(before));
  }

  /** Whether a number is not above all that the sender has used in an earlier life of this node. */
  isOld({ by, number }: Numbered): boolean {
    return number <= (this.#before.get(String(by)) ?? 0);
  }

  /** Notes a number that has counted. Returns whether it is the highest of its sender. */
  note({ by, number }: Numbered): boolean {
    if (number <= (this.#highest.get(String(by)) ?? 0)) return false;
    this.#highest.set(String(by), number);
    return true;
  }
}

/** The numbers that the lives before have written. */
export function heardIn(database: DatabaseSync): Highest {
  const rows = database.prepare('SELECT rank, number FROM heard').all();
  return Object.fromEntries(rows.map(({ rank, number }) => [String(rank), Number(number)]));
}

/**
 * Writes the numbers of messages that have counted. Those of heartbeats wait a little if others were written just before. An
 * idle node writes each at once, since waking up for it would take longer.
 */
export function heardRowsOf(database: DatabaseSync) {
  const insert = database.prepare('INSERT OR REPLACE INTO heard VALUES (?, ?)');
  const unwritten = new Map<string, number>();
  let isDue = false;
  let writtenMs = Number.NEGATIVE_INFINITY;
  const note = ({ by, number }: Numbered) => unwritten.set(String(by), number);
  const write = () => {
    for (const [by, number] of unwritten) insert.run(by, number);
    unwritten.clear();
  };
  const writeAll = () => {
    isDue = false;
    if (!database.isOpen || unwritten.size === 0) return;
    writtenMs = performance.now();
    const isOne = unwritten.size === 1;
    if (!isOne) database.exec('BEGIN');
    write();
    if (!isOne) database.exec('COMMIT');
  };
  const noteSoon = (heard: Numbered) => {
    note(heard);
    if (isDue) return;
    const waitMs = writtenMs + HEARD_MS_MAX - performance.now();
    isDue = waitMs > 0;
    if (isDue) setTimeout(writeAll, waitMs).unref();
    else writeAll();
  };
  return { note, noteSoon, write };
}
