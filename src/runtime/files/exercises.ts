/**
 * @module
 * The exercises that come with usurp, read from exercises/NAME/exercise.yaml.
 */

import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Exercise } from '../../exercise/document.ts';
import { parseExercise } from '../../exercise/reading.ts';

/** The folder of the exercises, and of the starter clients. */
export const EXERCISES = new URL('../../../exercises/', import.meta.url);

let exercisesRead: Promise<readonly Exercise[]> | null = null;

/** All exercises, in order of difficulty, then of points and names. They are read once. */
export function readExercises(): Promise<readonly Exercise[]> {
  exercisesRead ??= readAll();
  return exercisesRead;
}

async function readAll(): Promise<readonly Exercise[]> {
  const entries = await readdir(EXERCISES, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const exercises = await Promise.all(folders.map(readExercise));
  return exercises.toSorted(
    (one, other) =>
      one.difficulty - other.difficulty ||
      one.points - other.points ||
      (one.name < other.name ? -1 : 1),
  );
}

async function readExercise(folder: string): Promise<Exercise> {
  const file = new URL(`${folder}/exercise.yaml`, EXERCISES);
  return parseExercise(await readFile(file, 'utf8'), fileURLToPath(file));
}
