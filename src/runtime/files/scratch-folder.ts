/**
 * @module
 * Temporary folders. They are removed with the process, also if it ends during its work, for example at a
 * closed pipe or a second Ctrl-C.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const folders = new Set<string>();

/** Works in a new temporary folder, and removes it. */
export async function inScratchFolder<T>(
  prefix: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  if (folders.size === 0) process.on('exit', removeAll);
  folders.add(folder);
  try {
    return await work(folder);
  } finally {
    remove(folder);
    if (folders.size === 0) process.off('exit', removeAll);
  }
}

function removeAll(): void {
  for (const folder of [...folders]) remove(folder);
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}
