/**
 * @module
 * A lock that one process holds at a time. It is SQLite's lock on an empty file, which disappears with its process, also
 * after kill -9: what stays is the file.
 */

import type { DatabaseSync } from 'node:sqlite';
import { LabError } from '../../errors.ts';
import { openDatabase } from './sqlite.ts';

/** SQLite's result code for a file that is locked. */
const BUSY = 5;

/**
 * Makes the file if there is none. Returns a function that releases the lock; null if it is held already. Throws LabError
 * `file.unreadable`.
 */
export function lockFile(path: string): (() => void) | null {
  let database: DatabaseSync | null = null;
  try {
    database = openDatabase(path);
    // Nothing is written. With this journal nothing is beside the file.
    database.exec('PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE;');
  } catch (error) {
    database?.close();
    if (!(error instanceof Error) || !('errcode' in error)) throw error;
    if (Number(error.errcode) === BUSY) return null;
    const remedy = 'remove this file, or name a folder in which you can write';
    throw new LabError('file.unreadable', `${path} cannot be locked: ${error.message}; ${remedy}`);
  }
  const held = database;
  return () => {
    if (held.isOpen) held.close();
  };
}
