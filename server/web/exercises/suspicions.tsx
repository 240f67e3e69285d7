/**
 * @module
 * Submissions to an exercise with data of another student, for instructors.
 */

import { answerOf, api } from '../api/client.ts';
import { allPages } from '../api/pages.ts';
import { ErrorNotice } from '../parts/notice.tsx';
import { dayAndTime } from '../parts/numbers.ts';
import { useAnswer } from '../shell/use-answer.ts';

interface SuspicionsProps {
  readonly name: string;
  readonly timeZone: string | undefined;
}

export function Suspicions({ name, timeZone }: SuspicionsProps) {
  const path = { name };
  const { value: suspicions, error } = useAnswer(() =>
    allPages((query) =>
      answerOf(api.GET('/v1/exercises/{name}/suspicions', { params: { path, query } })),
    ),
  );
  return (
    <section class="suspicions">
      <h2>Suspicions{timeZone === undefined ? null : ` (times in ${timeZone})`}</h2>
      <ErrorNotice error={error} />
      {suspicions?.length === 0 ? (
        <p>There are none: no submission has data of another student.</p>
      ) : null}
      <ul>
        {suspicions?.map(({ created, student, of }) => (
          <li key={`${created} ${student} ${of}`}>
            <time dateTime={created}>{dayAndTime(created, timeZone)}</time>: {student} submitted
            data of {of}.
          </li>
        ))}
      </ul>
    </section>
  );
}
