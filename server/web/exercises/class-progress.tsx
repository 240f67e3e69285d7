/**
 * @module
 * The progress of every student of a class in every exercise, and the work of the student that is chosen.
 */

import { useRef } from 'preact/hooks';

import { answerOf, api } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { allPages } from '../api/pages.ts';
import { ErrorNotice } from '../parts/notice.tsx';
import { Scrolling } from '../parts/scrolling.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { keepInAddress } from '../shell/router.ts';
import { useAnswer } from '../shell/use-answer.ts';
import { StudentWork } from './student-work.tsx';

type Progress = Schema<'Progress'>;

interface ClassProgressProps {
  /** The name of the student whose work is shown. */
  readonly chosen: string | undefined;
  readonly timeZone: string;
  /** The progress is read again when it changes. */
  readonly version: string;
  /** Is called when the work of a student was changed here, or to read the progress again. */
  readonly onChange: () => void;
}

export function ClassProgress({ chosen, timeZone, version, onChange }: ClassProgressProps) {
  const { value: students, error } = useAnswer(
    () => allPages((query) => answerOf(api.GET('/v1/class/progress', { params: { query } }))),
    version,
  );
  const student = students?.find((each) => each.student === chosen);
  const work = useRef<HTMLElement>(null);
  const onChoose = (name: string) => {
    // The work of another student takes the focus when it is shown.
    if (name === chosen) work.current?.focus();
    else keepInAddress({ student: name });
  };
  return (
    <section>
      <h2>Progress</h2>
      <p>
        ✓ is solved; the numbers are points and, in brackets, submissions. Choose a student to see
        more below the table.
      </p>
      <ErrorNotice error={error} />
      {students === null ? null : <ProgressTable {...{ students, chosen, onChoose }} />}
      <p class="actions">
        <button type="button" onClick={onChange}>
          Read again
        </button>
      </p>
      {student === undefined ? null : (
        <StudentWork key={student.student} {...{ student, timeZone, onChange }} section={work} />
      )}
    </section>
  );
}

interface ProgressTableProps extends Pick<ClassProgressProps, 'chosen'> {
  readonly students: readonly Progress[];
  readonly onChoose: (student: string) => void;
}

function ProgressTable({ students, chosen, onChoose }: ProgressTableProps) {
  const columns = students[0]?.exercises.map(({ exercise }) => exercise) ?? [];
  return (
    <Scrolling label="Progress of all students">
      <table class="class-progress">
        <TableHead
          columns={['Student', 'Groups', 'Joined', 'Score', ...columns]}
          numbers={['Score']}
        />
        <tbody>
          {students.map(({ student, fullName, groups, hasJoined, score, exercises }) => (
            <tr key={student}>
              <th scope="row">
                <button
                  type="button"
                  class="beside-text"
                  aria-pressed={student === chosen}
                  onClick={() => onChoose(student)}
                >
                  {fullName === null ? student : `${student} (${fullName})`}
                </button>
              </th>
              <td>{groups.join(', ')}</td>
              <td>{hasJoined ? 'yes' : 'no'}</td>
              <td class="number">{score}</td>
              {exercises.map((cell) => (
                <td key={cell.exercise}>{cellText(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}

function cellText({ status, score, submissions }: Progress['exercises'][number]): string {
  if (status === 'untouched') return '–';
  return `${status === 'solved' ? '✓ ' : ''}${score} (${submissions})`;
}
