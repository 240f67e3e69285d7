/**
 * @module
 * Reads the key of one node from a file of `usurp mine --out`.
 */

import { LabError } from '../../errors.ts';
import type { Policy } from '../../identity/policy.ts';
import type { FiledKey } from '../../runtime/files/key-file.ts';
import { KEY_FILE_BYTES_MAX, parseKeyFile } from '../../runtime/files/key-file.ts';
import { assertPrivate, nameOf, readText } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';

/** The key, with the policy under which it was found. */
type NodeKey = FiledKey & { readonly policy: Policy };

/** Throws LabError for a file that others can read, or that has several keys. */
export async function readNodeKey(path: string, terminal: Terminal): Promise<NodeKey> {
  await assertPrivate(path);
  const { keys, policy } = parseKeyFile(await readText(path, terminal, KEY_FILE_BYTES_MAX));
  const [key] = keys;
  if (key !== undefined && keys.length === 1) return { ...key, policy };
  throw new LabError(
    'arguments',
    `${nameOf(path)} has ${keys.length} keys; name a file with one key`,
  );
}
