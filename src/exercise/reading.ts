/**
 * @module
 * Reads an exercise, or a class, in YAML or JSON. A refusal names each fault with file, line and column.
 */

import type { z } from 'zod';
import { LabError } from '../errors.ts';
import { DOCUMENT_CHARACTERS_MAX } from '../experiment/document/limits.ts';
import { alternatives } from '../experiment/document/wording.ts';
import { refusalAt } from '../experiment/reading/document.ts';
import { readYaml } from '../experiment/reading/yaml.ts';
import { parseBySchema } from '../schema.ts';
import type { ClassDocument } from './class/class-document.ts';
import { classSchema } from './class/class-document.ts';
import type { Exercise } from './document.ts';
import { exerciseSchema } from './document.ts';

/** Throws LabError `document` whose detail has one line `file:line:column: …` for each fault. */
export function parseExercise(text: string, fileName: string): Exercise {
  return parseCoursework(text, { fileName, noun: 'exercise', schema: exerciseSchema });
}

/** Reads the document of a class with some of the known exercises. Throws as `parseExercise`. */
export function parseClass(
  text: string,
  fileName: string,
  known: readonly Pick<Exercise, 'name'>[],
): ClassDocument {
  const names = known.map(({ name }) => name);
  const schema = classSchema.superRefine(({ exercises }, context) => {
    for (const [index, { name }] of exercises.entries()) {
      if (names.includes(name)) continue;
      const message = `must be ${alternatives(names)}; usurp serve --exercises FOLDER adds exercises of your own`;
      context.addIssue({ code: 'custom', path: ['exercises', index, 'name'], message });
    }
  });
  return parseCoursework(text, { fileName, noun: 'class', schema });
}

function parseCoursework<Schema extends z.ZodType>(
  text: string,
  { fileName, noun, schema }: { fileName: string; noun: string; schema: Schema },
): z.output<Schema> {
  if (text.length > DOCUMENT_CHARACTERS_MAX) {
    const problem = `this document may have at most ${DOCUMENT_CHARACTERS_MAX} characters, got ${text.length}`;
    throw refusalAt(fileName, [{ path: [], position: { line: 1, column: 1 }, text: problem }]);
  }
  const reading = readYaml(text);
  if (reading.outcome === 'refused') throw refusalAt(fileName, reading.faults);
  try {
    return parseBySchema(schema, reading.data, noun);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const faults = error.faults.map(({ pointer, detail }) => {
      const path = pointer
        .split('/')
        .slice(1)
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
      const at = detail === UNKNOWN ? 'key' : 'value';
      const name = path.length === 0 ? 'the document' : path.join('.');
      return { path, position: reading.positionOf(path, at), text: `${name} ${detail}` };
    });
    throw refusalAt(fileName, faults);
  }
}

/** What src/schema.ts says of an unknown member. */
const UNKNOWN = 'is not a known member';
