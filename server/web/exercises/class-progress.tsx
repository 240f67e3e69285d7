/**
 * @module
 * What instructors see of a class: the progress of every student in every exercise.
 */

import { answerOf, api } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { allPages } from '../api/pages.ts';
import { ErrorNotice } from '../parts/notice.tsx';
import { Scrolling } from '../parts/scrolling.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { useAnswer } from '../shell/use-answer.ts';

type Progress = Schema<'Progress'>;

export function ClassProgress() {
  const { value: students, error } = useAnswer(() =>
    allPages((query) => answerOf(api.GET('/v1/class/progress', { params: { query } }))),
  );
  const columns = students?.[0]?.exercises.map(({ exercise }) => exercise) ?? [];
  return (
    <section>
      <h2>Progress</h2>
      <p>✓ is solved; the numbers are points and, in brackets, submissions.</p>
      <ErrorNotice error={error} />
      {students === null ? null : (
        <Scrolling label="Progress of all students">
          <table class="class-progress">
            <TableHead
              columns={['Student', 'Groups', 'Joined', 'Score', ...columns]}
              numbers={['Score']}
            />
            <tbody>
              {students.map((student) => (
                <tr key={student.student}>
                  <th scope="row">{nameOf(student)}</th>
                  <td>{student.groups.join(', ')}</td>
                  <td>{student.hasJoined ? 'yes' : 'no'}</td>
                  <td class="number">{student.score}</td>
                  {student.exercises.map((cell) => (
                    <td key={cell.exercise}>{cellText(cell)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolling>
      )}
    </section>
  );
}

function nameOf({ student, fullName }: Progress): string {
  return fullName === null ? student : `${student} (${fullName})`;
}

function cellText({ status, score, submissions }: Progress['exercises'][number]): string {
  if (status === 'untouched') return '–';
  return `${status === 'solved' ? '✓ ' : ''}${score} (${submissions})`;
}
