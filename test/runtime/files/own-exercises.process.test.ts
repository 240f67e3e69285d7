/**
 * @module
 * Exercises in a folder of an instructor: beside those of usurp, in place of them, and what is refused.
 */

import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readExercises, readExercisesWith } from '../../../src/runtime/files/exercises.ts';
import { ROOT, scratchFolder } from '../../cli/shell.ts';
import { textOf } from '../sandbox/judged-files.ts';

/** A folder with an exercise, which is a changed copy of predict-cost. */
function folderWith(text: string, folder = scratchFolder()): string {
  const own = join(folder, 'own');
  mkdirSync(own);
  writeFileSync(join(own, 'exercise.yaml'), text);
  return folder;
}

const text = textOf('predict-cost/exercise.yaml');
const renamed = text.replace('name: predict-cost', 'name: own-cost');

it('the exercises of a folder, or of one exercise, are added to those of usurp', async () => {
  const folder = folderWith(renamed);

  for (const path of [folder, join(folder, 'own')]) {
    const names = (await readExercisesWith(path)).map(({ name }) => name);
    expect(names).toContain('own-cost');
    expect(names).toHaveLength((await readExercises()).length + 1);
  }
});

it('an exercise with the name of one of usurp replaces it', async () => {
  const exercises = await readExercisesWith(folderWith(text.replace('points: 20', 'points: 7')));

  const { length } = await readExercises();
  expect(exercises).toHaveLength(length);
  expect(exercises.find(({ name }) => name === 'predict-cost')?.points).toBe(7);
});

it('a folder without an exercise, with a fault, or with a name twice is refused', async () => {
  const twice = folderWith(renamed);
  cpSync(join(twice, 'own'), join(twice, 'other'), { recursive: true });
  const refusalOf = (folder: string) => readExercisesWith(folder).catch(String);

  expect(await refusalOf(join(ROOT, 'docs'))).toContain('has no exercise');
  expect(await refusalOf(join(ROOT, 'missing'))).toContain('ENOENT');
  expect(await refusalOf(twice)).toContain('two exercises with the name own-cost');
  expect(await refusalOf(folderWith(renamed.replace('points: 20', 'points: 0')))).toMatch(
    /own\/exercise\.yaml:6:9: points must be/,
  );
});
