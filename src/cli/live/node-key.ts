/**
 * @module
 * Reads the key of one node from a file of `usurp mine --out`.
 */

import { LabError } from '../../errors.ts';
import type { Policy } from '../../identity/policy.ts';
import { parseClusterEntry } from '../../live/cluster/cluster-document.ts';
import type { FiledKey } from '../../runtime/files/key-file.ts';
import { KEY_FILE_BYTES_MAX, parseKeyFile } from '../../runtime/files/key-file.ts';
import { assertNoPipe, assertPrivate, named, nameOf, readText } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';

/** The key, with the policy under which it was found. */
type NodeKey = FiledKey & { readonly policy: Policy };

function isEntry(text: string): boolean {
  try {
    parseClusterEntry(text);
    return true;
  } catch (error) {
    if (error instanceof LabError) return false;
    throw error;
  }
}

/** Throws LabError for a file that others can read, or that has several keys. */
export async function readNodeKey(path: string, terminal: Terminal): Promise<NodeKey> {
  await assertNoPipe(path);
  const text = await readText(path, terminal, KEY_FILE_BYTES_MAX);
  // Before its permissions: it contains no secret, and others may read it.
  if (isEntry(text)) {
    const detail = `${nameOf(path)} is an entry of usurp cluster entry, which has no secret; give the key file from which it was made`;
    throw new LabError('arguments', detail);
  }
  await assertPrivate(path);
  const { keys, policy } = named(path, () => parseKeyFile(text));
  const [key] = keys;
  if (key !== undefined && keys.length === 1) return { ...key, policy };
  throw new LabError(
    'arguments',
    `${nameOf(path)} has ${keys.length} keys; name a file with one key`,
  );
}
