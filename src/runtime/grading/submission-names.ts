/**
 * @module
 * The names of submitted files, and files whose names are probably mistakes.
 */

import type { Exercise } from '../../exercise/document.ts';
import { isFileKind } from '../../exercise/submission.ts';
import { nearestName } from '../../experiment/reading/nearest.ts';
import { shown } from './submission-listing.ts';
import type { SubmittedTree } from './submitted-tree.ts';

/** Endings of submitted files. */
const FILE_ENDINGS = ['.ts', '.mts', '.js', '.mjs'];
const ENDING = /\.(?:m?[tj]s|json)$/i;

/** A file that is probably meant as a submission. */
export interface Misnamed {
  /** The exercise that is probably meant; null if none is near. */
  readonly exercise: string | null;
  /** What is wrong, as a sentence. */
  readonly text: string;
}

/** The files of a student that are the submission to an exercise: usually at most one. */
export function filesFor(exercise: Exercise, files: SubmittedTree): readonly string[] {
  return namesFor(exercise).filter((path) => files.has(path));
}

function namesFor({ name, submission }: Exercise): readonly string[] {
  const endings = isFileKind(submission) ? FILE_ENDINGS : ['.json'];
  return endings.map((ending) => `${name}${ending}`);
}

/**
 * The misnamed files of a student. Another file beside a submission may be one that it imports. `folder` precedes the
 * paths in the texts.
 */
export function misnamedFiles(
  files: SubmittedTree,
  exercises: readonly Exercise[],
  folder = '',
): readonly Misnamed[] {
  const names = exercises.map(({ name }) => name);
  return [...files.keys()].flatMap((path): Misnamed[] => {
    const file = path.split('/').at(-1) ?? '';
    if (!ENDING.test(file)) return [];
    const stem = file.replace(ENDING, '');
    const meant = names.includes(stem) ? stem : nearestName(names, stem);
    const exercise = exercises.find(({ name }) => name === meant);
    if (exercise === undefined) {
      if (!/\.json$/i.test(file)) return [];
      const text = `${shown(`${folder}${path}`)} is no submission: there is no exercise ${shown(stem)}`;
      return [{ exercise: null, text }];
    }
    if (filesFor(exercise, files).length > 0) return [];
    const [expected = ''] = namesFor(exercise);
    const text = `${shown(`${folder}${path}`)} is no submission; did you mean ${folder}${expected}?`;
    return [{ exercise: exercise.name, text }];
  });
}
