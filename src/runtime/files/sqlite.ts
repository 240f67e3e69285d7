/**
 * @module
 * SQLite of Node. It is loaded at the first use, because Node 22 warns as soon as it is loaded, also programs that only import
 * the library.
 */

import process from 'node:process';
import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';

/** The module node:sqlite. */
export function sqlite(): typeof import('node:sqlite') {
  return process.getBuiltinModule('node:sqlite');
}

/** Opens a database, and makes its file if there is none. Throws as SQLite does. */
export function openDatabase(path: string | URL, options: DatabaseSyncOptions = {}): DatabaseSync {
  const { DatabaseSync } = sqlite();
  return new DatabaseSync(path, options);
}
