/**
 * @module
 * The form of an answer, and the caller's submissions with what each of them was missing.
 */

import { useSignal } from '@preact/signals';

import { answerOf, api } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { Copied } from '../parts/equivalent.tsx';
import { ErrorNotice, Notice } from '../parts/notice.tsx';
import { counted, dayAndTime } from '../parts/numbers.ts';
import { Verdict } from '../parts/verdict.tsx';
import { useAnswer } from '../shell/use-answer.ts';
import { useAttempt } from '../shell/use-attempt.ts';
import { readSubmissions } from './exercise-list.tsx';

type Graded = Schema<'GradedSubmission'>;

/** Files that only `usurp grade` runs, in a sandbox. */
const FILES: readonly string[] = ['protocol', 'behaviour', 'defence'];

/** Whether submissions of this kind are files. */
export function isFileKind(kind: string): boolean {
  return FILES.includes(kind);
}

interface SubmissionsProps {
  readonly exercise: Schema<'Exercise'>;
  /** The time zone of the class; without a class that of the reader. */
  readonly timeZone: string | undefined;
}

export function Submissions({ exercise, timeZone }: SubmissionsProps) {
  const { name, submission: kind } = exercise;
  const text = useSignal(kind === 'number' ? '{"type":"number","number":0}' : `{"type":"${kind}"}`);
  const graded = useSignal<Graded | null>(null);
  const { error, submitting } = useAttempt();
  const submit = submitting(async () => {
    graded.value = null;
    // The server refuses what is no submission.
    const body = JSON.parse(text.value) as Schema<'Submission'>;
    const params = { path: { name } };
    graded.value = await answerOf(api.POST('/v1/exercises/{name}/submissions', { params, body }));
  });
  return (
    <section class="submissions">
      <h2>Your answer</h2>
      {isFileKind(kind) ? (
        <Notice kind="info">
          The answer is a file with a {kind}. Hand it in to your instructor, who grades it with{' '}
          <code>usurp grade</code>.
        </Notice>
      ) : (
        <form onSubmit={submit}>
          <label>
            Answer (JSON)
            <textarea
              rows={4}
              spellcheck={false}
              value={text.value}
              onInput={(event) => {
                text.value = event.currentTarget.value;
              }}
            />
          </label>
          <button type="submit" class="primary">
            Submit
          </button>
        </form>
      )}
      <ErrorNotice error={error.value} />
      {graded.value === null ? null : <Grade graded={graded.value} />}
      <Earlier key={graded.value?.id} {...{ name, timeZone }} />
    </section>
  );
}

const WORDS = {
  ...{ correct: 'correct', partial: 'partly correct', incorrect: 'not correct' },
  already_solved: 'solved before',
} as const;

function Grade({ graded }: { readonly graded: Graded }) {
  const { status, credited, score, submissionsLeft, findings, flag } = graded;
  return (
    <div class="grade" role="status">
      <p>
        <Verdict value={verdictOf(status)} word={WORDS[status]}>
          {counted(credited, 'point')} for this answer, {counted(score, 'point')} in all.{' '}
          {counted(submissionsLeft, 'submission')} left now.
        </Verdict>
      </p>
      {flag === null ? null : <Copied name="flag for CTFd" text={flag} />}
      <Findings findings={findings} />
    </div>
  );
}

function verdictOf(status: Graded['status']) {
  if (status === 'partial') return 'unknown';
  return status === 'incorrect' ? 'false' : 'true';
}

function Findings({ findings }: Pick<Graded, 'findings'>) {
  return (
    <ul class="findings">
      {findings.map(({ criterion, met, points, detail }) => (
        <li key={criterion}>
          <Verdict value={met ? 'true' : 'false'} word={criterion}>
            {counted(points, 'point')}: {detail}
          </Verdict>
        </li>
      ))}
    </ul>
  );
}

interface EarlierProps extends Pick<SubmissionsProps, 'timeZone'> {
  readonly name: string;
}

/** The submissions that the server has graded, the newest first. */
function Earlier({ name, timeZone }: EarlierProps) {
  const { value: submissions, error } = useAnswer(() => readSubmissions(name));
  return (
    <>
      <h3>Your submissions{timeZone === undefined ? null : ` (times in ${timeZone})`}</h3>
      <ErrorNotice error={error} />
      {submissions?.length === 0 ? <p>There are none.</p> : null}
      {(submissions ?? []).map(({ id, created, status, points, findings }) => (
        <details key={id}>
          <summary>
            <time dateTime={created}>{dayAndTime(created, timeZone)}</time>: {WORDS[status]},{' '}
            {counted(points, 'point')}
          </summary>
          <Findings findings={findings} />
        </details>
      ))}
    </>
  );
}
