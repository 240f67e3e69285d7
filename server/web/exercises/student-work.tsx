/**
 * @module
 * The work of one student, for instructors. They can reset an exercise of the student, and give the student a new join code.
 */

import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { answerOf, api } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { Copied } from '../parts/equivalent.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { count, dayAndTime } from '../parts/numbers.ts';
import { Scrolling } from '../parts/scrolling.tsx';
import { TableHead } from '../parts/table-head.tsx';

type Progress = Schema<'Progress'>;

interface StudentWorkProps {
  readonly student: Progress;
  readonly timeZone: string;
  /** The section, which takes the focus when it is shown, because it can be far below the name. */
  readonly section: RefObject<HTMLElement | null>;
  /** Is called after a reset. */
  readonly onChange: () => void;
}

/** What cannot be undone, and is done when it was confirmed. */
interface Question {
  readonly text: string;
  readonly confirm: string;
  readonly act: () => Promise<void>;
}

export function StudentWork({ student: progress, timeZone, section, onChange }: StudentWorkProps) {
  const { student, exercises } = progress;
  useEffect(() => section.current?.focus(), []);
  const question = useSignal<Question | null>(null);
  const code = useSignal<string | null>(null);
  const error = useSignal<unknown>(null);
  const confirm = async ({ act }: Question) => {
    question.value = null;
    error.value = null;
    try {
      await act();
    } catch (refusal) {
      error.value = refusal;
    }
  };
  const askReset = (exercise: string) => {
    question.value = {
      text: `Reset ${exercise} for ${student}? Its submissions, hints and metered forgeries are removed for good.`,
      confirm: `Reset ${exercise}`,
      act: async () => {
        await reset(student, exercise);
        onChange();
      },
    };
  };
  const askCode = () => {
    question.value = {
      text: `Give ${student} a new join code? The token that ${student} has now ends at once.`,
      confirm: 'Make the code',
      act: async () => {
        code.value = await newCodeOf(student);
        onChange();
      },
    };
  };
  return (
    <section
      class="panel student-work"
      ref={section}
      tabIndex={-1}
      aria-label={`Work of ${student}`}
    >
      <h3>{student}</h3>
      <Scrolling label={`The exercises of ${student}`}>
        <WorkTable {...{ exercises, timeZone, askReset }} />
      </Scrolling>
      <ErrorNotice error={error.value} />
      {question.value === null ? (
        <p class="actions">
          <button type="button" onClick={askCode}>
            New join code
          </button>
        </p>
      ) : (
        <Confirmation
          key={question.value.text}
          question={question.value}
          confirm={confirm}
          keep={() => {
            question.value = null;
          }}
        />
      )}
      {code.value === null ? null : <Copied name="join code" text={code.value} />}
    </section>
  );
}

async function reset(student: string, exercise: string): Promise<void> {
  const path = { student, exercise };
  await answerOf(api.DELETE('/v1/class/progress/{student}/{exercise}', { params: { path } }));
}

async function newCodeOf(student: string): Promise<string> {
  const params = { path: { name: student } };
  const { code } = await answerOf(api.POST('/v1/class/members/{name}/join-code', { params }));
  return code;
}

interface WorkTableProps extends Pick<Progress, 'exercises'>, Pick<StudentWorkProps, 'timeZone'> {
  readonly askReset: (exercise: string) => void;
}

function WorkTable({ exercises, timeZone, askReset }: WorkTableProps) {
  const numbers = ['Score', 'Submissions', 'Hints', 'Attempts'];
  const columns = ['Exercise', ...numbers, `Solved (${timeZone})`, 'Reset'];
  return (
    <table>
      <TableHead columns={columns} numbers={numbers} />
      <tbody>
        {exercises.map(({ exercise, score, submissions, hints, attempts, solved }) => (
          <tr key={exercise}>
            <th scope="row">{exercise}</th>
            <td class="number">{count(score)}</td>
            <td class="number">{count(submissions)}</td>
            <td class="number">{count(hints)}</td>
            <td class="number">{count(attempts)}</td>
            <td>{solved === null ? '–' : dayAndTime(solved, timeZone)}</td>
            <td>
              {submissions + hints + attempts === 0 ? null : (
                <button
                  type="button"
                  aria-label={`Reset ${exercise} …`}
                  onClick={() => askReset(exercise)}
                >
                  Reset …
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ConfirmationProps {
  readonly question: Question;
  readonly confirm: (question: Question) => Promise<void>;
  readonly keep: () => void;
}

function Confirmation({ question, confirm, keep }: ConfirmationProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  // The button that asked may be far above.
  useEffect(() => cancel.current?.focus(), []);
  return (
    <div role="alertdialog" aria-label={question.confirm}>
      <p>{question.text}</p>
      <p class="actions">
        <button type="button" class="primary" onClick={() => void confirm(question)}>
          {question.confirm}
        </button>
        <button type="button" ref={cancel} onClick={keep}>
          Cancel
        </button>
      </p>
    </div>
  );
}
