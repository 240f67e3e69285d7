/**
 * @module
 * What instructors decide about the work of one student, and the statistics of the exercises.
 */

import { useSignal } from '@preact/signals';

import { decisionText } from '../../../src/exercise/class/stated-text.ts';
import { allPages, answerOf, api } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { ChoiceField, TextField } from '../parts/fields.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { count, dayAndTime } from '../parts/numbers.ts';
import { Scrolling } from '../parts/scrolling.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { useAnswer } from '../shell/use-answer.ts';
import { useAttempt } from '../shell/use-attempt.ts';

interface StatisticsProps {
  /** The statistics are read again when it changes. */
  readonly version: string;
}

/** A table of all exercises: who solved them, after how much work, and what was wrong. */
export function Statistics({ version }: StatisticsProps) {
  const { value: exercises, error } = useAnswer(
    () => allPages((query) => answerOf(api.GET('/v1/class/statistics', { params: { query } }))),
    version,
  );
  const numbers = ['Started', 'Tried', 'Solved', 'Submissions', 'Minutes'];
  return (
    <section>
      <h2>Statistics</h2>
      <p>
        Submissions and minutes until the solution are medians of the students who solved the
        exercise. In brackets is the number of students.
      </p>
      <ErrorNotice error={error} />
      <Scrolling label="Statistics of all exercises">
        <table>
          <TableHead
            columns={['Exercise', ...numbers, 'Hints', 'Wrong most often']}
            numbers={numbers}
          />
          <tbody>
            {exercises?.map(({ exercise, started, tried, solved, attempts, seconds, ...more }) => (
              <tr key={exercise}>
                <th scope="row">{exercise}</th>
                <td class="number">{count(started)}</td>
                <td class="number">{count(tried)}</td>
                <td class="number">{count(solved)}</td>
                <td class="number">{attempts === null ? '–' : count(attempts.median)}</td>
                <td class="number">
                  {seconds === null ? '–' : count(Math.ceil(seconds.median / 60))}
                </td>
                <td>
                  {more.hints.map(({ number, students }) => `${number} (${students})`).join(', ')}
                </td>
                <td>{wrongText(more)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
    </section>
  );
}

const WRONG_SHOWN_MAX = 3;

function wrongText({
  missing,
  wrongAnswers,
}: Pick<Schema<'ExerciseStatistics'>, 'missing' | 'wrongAnswers'>): string {
  const criteria = missing.map(({ criterion, students }) => `${criterion} (${students})`);
  const answers = wrongAnswers.map(({ answer, students }) => `${answer} (${students})`);
  const shown = [criteria, answers].map((texts) => texts.slice(0, WRONG_SHOWN_MAX).join(', '));
  return shown.filter((text) => text !== '').join('; ');
}

interface DecisionsProps {
  /** The student with the progress in all exercises, after each change of which the decisions are read again. */
  readonly progress: Schema<'Progress'>;
  readonly timeZone: string;
  /** Is called after a decision. */
  readonly onChange: () => void;
}

/** The decisions about a student, each with its maker and its time, and a form for a new one. */
export function Decisions({ progress, timeZone, onChange }: DecisionsProps) {
  const { student } = progress;
  const changes = useSignal(0);
  const { value: decisions, error } = useAnswer(
    () =>
      allPages((query) =>
        answerOf(api.GET('/v1/class/decisions', { params: { query: { ...query, student } } })),
      ),
    `${changes.value} ${JSON.stringify(progress)}`,
  );
  const undoing = useAttempt();
  const changed = () => {
    changes.value += 1;
    onChange();
  };
  const undo = (number: number) =>
    void undoing.attempt(async () => {
      const params = { path: { number: String(number) } };
      await answerOf(api.POST('/v1/class/decisions/{number}/undo', { params }));
      changed();
    });
  return (
    <>
      <h4>Decisions (times in {timeZone})</h4>
      <ErrorNotice error={error ?? undoing.error.value} />
      {decisions?.length === 0 ? <p>There are none yet.</p> : null}
      <ol>
        {decisions?.map((decision) => (
          <li key={decision.number} value={decision.number}>
            {decisionText(decision, (iso) => dayAndTime(iso, timeZone))}{' '}
            {decision.undone !== null || decision.type === 'regrade' ? null : (
              <button
                type="button"
                class="beside-text"
                aria-label={`Undo decision ${decision.number}`}
                disabled={undoing.isBusy.value}
                onClick={() => undo(decision.number)}
              >
                Undo
              </button>
            )}
          </li>
        ))}
      </ol>
      <DecisionForm {...{ progress, timeZone }} onChange={changed} />
    </>
  );
}

/** Sets a grade or gives an extension. An empty field takes back what was set. */
function DecisionForm({ progress, timeZone, onChange }: DecisionsProps) {
  const { student, exercises } = progress;
  const { isBusy, error, submitting } = useAttempt();
  const exercise = useSignal(exercises[0]?.exercise ?? '');
  const type = useSignal<string>('grade');
  const value = useSignal('');
  const comment = useSignal('');
  const isGrade = type.value === 'grade';
  const submit = submitting(async () => {
    const text = value.value.trim();
    const about = { student, exercise: exercise.value, comment: comment.value.trim() || null };
    const body = isGrade
      ? { ...about, type: 'grade' as const, points: text === '' ? null : Number(text) }
      : { ...about, type: 'extension' as const, deadline: text === '' ? null : text };
    await answerOf(api.POST('/v1/class/decisions', { body }));
    [value.value, comment.value] = ['', ''];
    onChange();
  });
  return (
    <form onSubmit={submit} aria-label={`New decision about ${student}`}>
      <ChoiceField
        label="Exercise"
        value={exercise.value}
        options={exercises.map((each) => each.exercise)}
        set={(name) => {
          exercise.value = name;
        }}
      />{' '}
      <ChoiceField
        label="Decision"
        value={type.value}
        options={DECIDED}
        set={(name) => {
          [type.value, value.value] = [name, ''];
        }}
      />{' '}
      <TextField
        label={
          isGrade
            ? 'Points (empty: those of the submissions)'
            : `Deadline in ${timeZone} (empty: that of the class)`
        }
        type={isGrade ? 'number' : 'datetime-local'}
        value={value.value}
        set={(text) => {
          value.value = text;
        }}
      />{' '}
      <TextField
        label="Comment for the student"
        value={comment.value}
        set={(text) => {
          comment.value = text;
        }}
      />
      <p class="actions">
        <button type="submit" disabled={isBusy.value}>
          Decide
        </button>
      </p>
      <ErrorNotice error={error.value} />
    </form>
  );
}

const DECIDED = [
  ['grade', 'Points'],
  ['extension', 'Deadline'],
] as const;
