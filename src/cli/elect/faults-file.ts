/**
 * @module
 * `--faults`: a schedule from a file. Its calm and its detector may be left out; what is no schedule
 * is refused with its place, and a file of another kind with what it is.
 */

import { LabError } from '../../errors.ts';
import { parseJsonText } from '../../runtime/files/json-scan.ts';
import type { Schedule } from '../../simulation/faults/schedule.ts';
import { EMPTY_SCHEDULE, parseSchedule } from '../../simulation/faults/schedule.ts';
import { SAVED_RUN_FORMAT } from '../../simulation/report/saved-run.ts';
import { readText } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';

/** An example for `--help`, which a test reads back. */
export const FAULTS_FILE_EXAMPLE =
  '{"faults": [{"type": "loss", "share": 0.05, "from": 0, "to": null}], "calm": null}';

/** The schedule in a file, for ranks 1..nodes. Throws LabError that begins with the file's name. */
export async function readSchedule(
  path: string,
  nodes: number,
  terminal: Terminal,
): Promise<Schedule> {
  const text = await readText(path, terminal);
  const name = path === '-' ? 'stdin' : path;
  try {
    return parseSchedule(withDefaults(parseJsonText(text)), nodes);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const what = error.code === 'json.syntax' ? 'is not JSON, ' : '';
    throw new LabError(error.code, `${name}: ${what}${error.message}`, error.faults);
  }
}

/** Refuses what is recognizably something else. */
function withDefaults(value: unknown): unknown {
  if (Array.isArray(value)) {
    throw new LabError('schema', 'is a bare list; a schedule is {"faults": […]}');
  }
  if (typeof value !== 'object' || value === null) {
    throw new LabError('schema', 'is no schedule; that is an object, {"faults": […]}');
  }
  if ('format' in value && value.format === SAVED_RUN_FORMAT) {
    throw new LabError('schema', 'is a saved run; use usurp replay to repeat it');
  }
  const { calm, detector } = EMPTY_SCHEDULE;
  return { calm, detector, ...value };
}
