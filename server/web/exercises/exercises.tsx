/**
 * @module
 * This folder contains the view of the exercises: the list of them, and one exercise with its task, its instance, its
 * hints and the caller's submissions. With a class it has deadlines and a scoreboard, and for instructors the progress.
 */

import './exercises.css';

import { ErrorNotice } from '../parts/notice.tsx';
import type { ViewProps } from '../shell/views.ts';
import { ExerciseList, useMembership } from './exercise-list.tsx';
import { ExercisePage } from './exercise-page.tsx';

export function View({ segments: [name], query }: ViewProps) {
  const { value: membership, error } = useMembership(name ?? '');
  return (
    <div class="exercises">
      <ErrorNotice error={error} />
      {membership === null ? (
        <p class="loading">{error === null ? 'Loading…' : null}</p>
      ) : name === undefined ? (
        <ExerciseList {...{ membership, query }} />
      ) : (
        <ExercisePage key={name} {...{ name, membership }} />
      )}
    </div>
  );
}
