/**
 * @module
 * The action of `usurp exercise` that joins a class: it exchanges a join code for a token, which it writes to a file that
 * only its owner can read. Neither is an argument, because other users of the machine see the arguments of a process.
 */

import { z } from 'zod';
import { LabError } from '../../errors.ts';
import { printable } from '../../printable.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { readText, refuseTarget, writeWhole } from '../shell/files.ts';
import type { OutputOptions } from '../shell/options.ts';
import { wantsJson } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { Remote } from './remote.ts';

const CODE_BYTES_MAX = 1024;

const joinedSchema = z.looseObject({ name: z.string(), role: z.string(), token: z.string() });

interface Joining {
  readonly remote: Remote;
  readonly options: OutputOptions;
  readonly terminal: Terminal;
  /** The file with the code, or - for stdin; null if none is given. */
  readonly codeFile: string | null;
  readonly tokenFile: string | undefined;
}

/** Joins a class. Throws LabError `arguments` or `file.exists` before the code is used up. */
export async function joinClass(joining: Joining): Promise<ExitCode> {
  const { remote, options, terminal, codeFile, tokenFile } = joining;
  if (codeFile === null || tokenFile === undefined) {
    const detail =
      'name the file with your join code, or - for stdin, and a new file for your token: usurp exercise join - --token-file token.txt';
    throw new LabError('arguments', detail);
  }
  await refuseTarget(tokenFile, null);
  const code = (await readText(codeFile, terminal, CODE_BYTES_MAX)).trim();
  const body = { type: 'classCode', code };
  const joined = await remote.call('POST', '/v1/sessions', { schema: joinedSchema, body });
  const { name, role, token } = joined;
  await writeWhole(tokenFile, `${token}\n`, { force: null, isPrivate: true });
  if (wantsJson(options)) terminal.print(`${JSON.stringify({ name, role })}\n`);
  else terminal.print(printable(`you are ${name} (${role}); your token is in ${tokenFile}\n`));
  return EXIT.holds;
}
