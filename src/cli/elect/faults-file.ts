/**
 * @module
 * `--faults`: a schedule from a file, for `elect` and `compare-protocols`. `calm` and `detector` are optional. An error names the position, and
 * for a file of another kind the kind.
 */

import { LabError } from '../../errors.ts';
import { parseJsonText } from '../../runtime/files/json-scan.ts';
import type { Schedule } from '../../simulation/faults/schedule.ts';
import { scheduleFrom } from '../../simulation/request/reading.ts';
import type { Besides } from '../operations/operation-command.ts';
import { readText } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';

/** The example in `--help`. A test parses it. */
export const FAULTS_FILE_EXAMPLE =
  '{"faults": [{"type": "loss", "share": 0.05, "from": 0, "to": null}], "calm": null}';

/** `--faults` of `compare-protocols`: a file, or what it contains. */
export const BESIDE_COMPARISON: Besides<{ readonly faults?: string }> = {
  entered: ['faults'],
  flags(command) {
    command.option('--faults <file>', 'JSON file with a schedule of faults (- for stdin), or JSON');
  },
  async enter({ faults }, terminal) {
    if (faults === undefined) return {};
    if (faults.startsWith('{')) return { faults };
    return { faults: JSON.stringify(await readJson(faults, terminal, parseJsonText)) };
  },
};

/** Reads a schedule for ranks 1..nodes. Throws LabError whose message begins with the name of the file. */
export function readScheduleFile(
  path: string,
  nodes: number,
  terminal: Terminal,
): Promise<Schedule> {
  return readJson(path, terminal, (text) => scheduleFrom(parseJsonText(text), nodes));
}

async function readJson<T>(
  path: string,
  terminal: Terminal,
  read: (text: string) => T,
): Promise<T> {
  const text = await readText(path, terminal);
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const name = path === '-' ? 'stdin' : path;
    const what = error.code === 'json.syntax' ? 'is not JSON, ' : '';
    const message = error.message.replace(/^must be/, 'expected');
    throw new LabError(error.code, `${name}: ${what}${message}`, error.faults);
  }
}
