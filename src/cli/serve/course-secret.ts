/**
 * @module
 * The file with the secret of a course: 64 lower-case hex digits, readable by its owner alone.
 */

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { bytesToHex, hexToBytes } from '../../bytes.ts';
import { LabError } from '../../errors.ts';
import { COURSE_SECRET_BYTES } from '../../exercise/derivation.ts';
import { assertPrivate, readText, writeWhole } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';

const FORM = new RegExp(`^[0-9a-f]{${2 * COURSE_SECRET_BYTES}}\\s*$`);

/**
 * The secret in a file, which is made if it does not exist; undefined without a file. Throws LabError for a file that
 * others can read, or that has something else. No message contains the secret.
 */
export async function courseSecretOf(
  file: string | undefined,
  terminal: Terminal,
): Promise<Uint8Array | undefined> {
  if (file === undefined) return undefined;
  if (!existsSync(file)) {
    const text = `${bytesToHex(randomBytes(COURSE_SECRET_BYTES))}\n`;
    await writeWhole(file, text, { force: null, isPrivate: true });
  }
  await assertPrivate(file);
  const text = await readText(file, terminal);
  if (!FORM.test(text)) {
    const detail = `${file} is no secret of a course: it must have ${2 * COURSE_SECRET_BYTES} lower-case hex digits; a file that does not exist is made`;
    throw new LabError('file.unreadable', detail);
  }
  return hexToBytes(text.trim());
}
