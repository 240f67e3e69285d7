/**
 * @module
 * Reads an exercise in YAML or JSON. A refusal names each fault with file, line and column.
 */

import { LabError } from '../errors.ts';
import { DOCUMENT_CHARACTERS_MAX } from '../experiment/document/limits.ts';
import { refusalAt } from '../experiment/reading/document.ts';
import { readYaml } from '../experiment/reading/yaml.ts';
import { parseBySchema } from '../schema.ts';
import type { Exercise } from './document.ts';
import { exerciseSchema } from './document.ts';

/** Throws LabError `document` whose detail has one line `file:line:column: …` for each fault. */
export function parseExercise(text: string, fileName: string): Exercise {
  if (text.length > DOCUMENT_CHARACTERS_MAX) {
    const problem = `an exercise has at most ${DOCUMENT_CHARACTERS_MAX} characters, got ${text.length}`;
    throw refusalAt(fileName, [{ path: [], position: { line: 1, column: 1 }, text: problem }]);
  }
  const reading = readYaml(text);
  if (reading.outcome === 'refused') throw refusalAt(fileName, reading.faults);
  try {
    return parseBySchema(exerciseSchema, reading.data, 'exercise');
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const faults = error.faults.map(({ pointer, detail }) => {
      // No member of an exercise has a name that a pointer escapes.
      const path = pointer.split('/').slice(1);
      const at = detail === UNKNOWN ? 'key' : 'value';
      const name = path.length === 0 ? 'the document' : path.join('.');
      return { path, position: reading.positionOf(path, at), text: `${name} ${detail}` };
    });
    throw refusalAt(fileName, faults);
  }
}

/** What src/schema.ts says of an unknown member. */
const UNKNOWN = 'is not a known member';
