/**
 * @module
 * Reads an exercise, or a class, in YAML or JSON. A refusal names each fault with file, line and column.
 */

import { alternatives } from '../experiment/document/wording.ts';
import { readDocument } from '../experiment/reading/document.ts';
import type { ClassDocument } from './class/class-document.ts';
import { classSchema } from './class/class-document.ts';
import type { Exercise } from './document.ts';
import { exerciseSchema } from './document.ts';

/** Throws LabError `document` whose detail has one line `file:line:column: …` for each fault. */
export function parseExercise(text: string, fileName: string): Exercise {
  return readDocument(text, { fileName, noun: 'exercise', schema: exerciseSchema });
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
  return readDocument(text, { fileName, noun: 'class', schema });
}
