/**
 * @module
 * The class of `usurp serve`: its document, and its join codes, which are shown once: in a file that only its owner can
 * read, or on stderr.
 */

import type { IssuedCode } from '../../../server/exercises/classroom.ts';
import type { ServedClass } from '../../../server/lab.ts';
import { LabError } from '../../errors.ts';
import type { Exercise } from '../../exercise/document.ts';
import { parseClass } from '../../exercise/reading.ts';
import { readText, writeWhole } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { LogForm } from './log.ts';

export interface ClassOptions {
  readonly class?: string;
  readonly classCodes?: string;
  readonly log: LogForm;
}

/**
 * The class in a file, which has some of the exercises; undefined without a file. Throws LabError `document` with file, line and column, or `arguments`
 * for flags that do not fit.
 */
export async function servedClassOf(
  { class: file, classCodes, log }: ClassOptions,
  exercises: readonly Exercise[],
  terminal: Terminal,
): Promise<ServedClass | undefined> {
  if (file === undefined) {
    if (classCodes === undefined) return undefined;
    throw new LabError('arguments', '--class-codes needs --class');
  }
  if (classCodes === undefined && log === 'json') {
    const detail = 'give --class-codes with --log json: the join codes would be in the log';
    throw new LabError('arguments', detail);
  }
  const document = parseClass(await readText(file, terminal), file, exercises);
  const deliver = async (codes: readonly IssuedCode[]) => {
    const lines = codes.map(({ role, name, code }) => `${role} ${name} ${code}`);
    if (classCodes === undefined) {
      terminal.complain('usurp: the join codes of the class, shown once:');
      for (const line of lines) terminal.complain(line);
      return;
    }
    await writeWhole(classCodes, `${lines.join('\n')}\n`, { force: null, isPrivate: true });
    terminal.note(`the join codes of ${codes.length} members are in ${classCodes}`);
  };
  return { document, deliver };
}
