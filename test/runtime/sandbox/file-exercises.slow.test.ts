/**
 * @module
 * The files of the exercises for a class.
 */

import { describeFileExercises } from './file-exercises.ts';

describeFileExercises(Array.from({ length: 20 }, (_, index) => `student-${index}`));
