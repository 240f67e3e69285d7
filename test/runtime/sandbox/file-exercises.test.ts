/**
 * @module
 * The files of the exercises for one student. The slow suite has twenty.
 */

import { describeFileExercises } from './file-exercises.ts';

describeFileExercises(['student-0']);
