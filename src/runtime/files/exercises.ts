/**
 * @module
 * The exercises that come with usurp, read from exercises/NAME/exercise.yaml, and those of an instructor in another folder.
 */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LabError } from '../../errors.ts';
import type { Exercise } from '../../exercise/document.ts';
import { parseExercise } from '../../exercise/reading.ts';
import { codeOf } from './file-sink.ts';

/** The folder of the exercises, and of the starter clients. */
export const EXERCISES = new URL('../../../exercises/', import.meta.url);

const DOCUMENT = 'exercise.yaml';

let exercisesRead: Promise<readonly Exercise[]> | null = null;

/** All exercises that come with usurp, in order of difficulty, then of points and names. They are read once. */
export function readExercises(): Promise<readonly Exercise[]> {
  exercisesRead ??= readFolder(fileURLToPath(EXERCISES));
  return exercisesRead;
}

/**
 * The same with those in the folders of a folder, or in the folder itself. An exercise of the folder replaces the one of usurp with its
 * name. Throws LabError: `document` with the place of a fault, `file.missing`, or `arguments`.
 */
export async function readExercisesWith(folder: string | undefined): Promise<readonly Exercise[]> {
  const known = await readExercises();
  if (folder === undefined) return known;
  const own = await readFolder(folder);
  const names = own.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (own.length === 0 || twice !== undefined) {
    const fault =
      twice === undefined
        ? `has no exercise: a folder with ${DOCUMENT}`
        : `has two exercises with the name ${twice}`;
    throw new LabError('arguments', `${folder} ${fault}`);
  }
  return sorted([...known.filter(({ name }) => !names.includes(name)), ...own]);
}

async function readFolder(folder: string): Promise<readonly Exercise[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw new LabError(
      'file.missing',
      `${folder} is not a folder that can be read: ${codeOf(error)}`,
    );
  });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const files = ['.', ...folders].map((name) => join(folder, name, DOCUMENT));
  const read = await Promise.all(files.map(readExercise));
  return sorted(read.filter((exercise) => exercise !== null));
}

function sorted(exercises: readonly Exercise[]): readonly Exercise[] {
  return exercises.toSorted(
    (one, other) =>
      one.difficulty - other.difficulty ||
      one.points - other.points ||
      (one.name < other.name ? -1 : 1),
  );
}

/** Null if there is no such file. */
async function readExercise(file: string): Promise<Exercise | null> {
  try {
    return parseExercise(await readFile(file, 'utf8'), file);
  } catch (error) {
    if (error instanceof LabError) throw error;
    if (codeOf(error) === 'ENOENT') return null;
    throw new LabError('file.unreadable', `${file} cannot be read: ${codeOf(error)}`);
  }
}
