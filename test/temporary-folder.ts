/**
 * @module
 * Global set-up of vitest: all temporary files of a test run are in one folder, which is removed at its end.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** Returns the function that cleans up. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'usurp-tests-'));
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
