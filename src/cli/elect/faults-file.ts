/**
 * @module
 * `--faults`: a schedule from a file. `calm` and `detector` are optional. An error names the position, and
 * for a file of another kind the kind.
 */

import { LabError } from '../../errors.ts';
import { parseJsonText } from '../../runtime/files/json-scan.ts';
import type { Schedule } from '../../simulation/faults/schedule.ts';
import { EMPTY_SCHEDULE, parseSchedule } from '../../simulation/faults/schedule.ts';
import { SAVED_RUN_FORMAT } from '../../simulation/report/saved-run.ts';
import { readText } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';

/** The example in `--help`. A test parses it. */
export const FAULTS_FILE_EXAMPLE =
  '{"faults": [{"type": "loss", "share": 0.05, "from": 0, "to": null}], "calm": null}';

/** Reads a schedule for ranks 1..nodes. Throws LabError whose message begins with the name of the file. */
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

/** Adds the defaults. Throws LabError for a list, a scalar and a saved run. */
function withDefaults(value: unknown): unknown {
  if (Array.isArray(value)) {
    throw new LabError('schema', 'expected an object such as {"faults": […]}, got a list');
  }
  if (typeof value !== 'object' || value === null) {
    throw new LabError('schema', 'expected an object such as {"faults": […]}');
  }
  if ('format' in value && value.format === SAVED_RUN_FORMAT) {
    throw new LabError('schema', 'is a saved run; use usurp replay to repeat it');
  }
  const { calm, detector } = EMPTY_SCHEDULE;
  return { calm, detector, ...value };
}
