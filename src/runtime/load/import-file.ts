/**
 * @module
 * Imports one file of the user. An error names the file, and where it is known, the line.
 */

import { fileURLToPath } from 'node:url';

import { LabError } from '../../errors.ts';
import { isOfUser } from './module-hooks.ts';

/** What the file exports. `path` is the file as the user named it. Throws LabError `arguments`. */
export async function importFile(
  url: string,
  path: string,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(url);
  } catch (error) {
    const position = whereIn(error, url) ?? syntaxErrorPosition(error) ?? path;
    throw new LabError('arguments', `--load ${position}: ${messageOf(error)}`);
  }
}

/** File, line and column of the first frame of an error that is in a file of the user. */
export function whereIn(error: unknown, url: string): string | null {
  if (!(error instanceof Error)) return null;
  const folder = url.slice(0, url.lastIndexOf('/') + 1);
  const frame = (error.stack ?? '').match(/file:[^\s()]+:\d+:\d+|file:[^\s()]+:\d+/g) ?? [];
  const own = frame.find((each) => each.startsWith(folder) && isOfUser(each));
  if (own === undefined) return null;
  const [, file = '', position = ''] = /^(file:.*?)((?::\d+)+)$/.exec(own) ?? [];
  return file === '' ? null : `${fileURLToPath(file)}${position}`;
}

/** File and line of a syntax error, which Node writes as `FILE:LINE` above the error. */
function syntaxErrorPosition(error: unknown): string | null {
  if (!(error instanceof SyntaxError)) return null;
  const [first = ''] = (error.stack ?? '').split('\n', 1);
  return /^[^:].*:\d+$/.test(first) ? first : null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
