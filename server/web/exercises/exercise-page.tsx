/**
 * @module
 * One exercise: its task, the caller's instance, hints and submissions, and the commands that do the same.
 */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { answerOf, api } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { Copied, curlLine, Equivalent, lineOf } from '../parts/equivalent.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { counted, duration } from '../parts/numbers.ts';
import { Values } from '../parts/values.tsx';
import { hrefOf, keepInAddress } from '../shell/router.ts';
import { asksForSignIn } from '../shell/sign-in.tsx';
import { useAnswer } from '../shell/use-answer.ts';
import type { ViewProps } from '../shell/views.ts';
import { deadlineText } from './exercise-list.tsx';
import { Hints } from './hints.tsx';
import { Markdown } from './markdown.tsx';
import type { Membership } from './membership.ts';
import { hasWork, isInstructor } from './membership.ts';
import { isFileKind, Submissions } from './submissions.tsx';
import { Suspicions } from './suspicions.tsx';

type Exercise = Schema<'Exercise'>;

interface ExercisePageProps extends Pick<ViewProps, 'query'> {
  readonly name: string;
  readonly membership: Membership;
}

export function ExercisePage({ name, query, membership }: ExercisePageProps) {
  const { value: exercise, error } = useAnswer(() =>
    answerOf(api.GET('/v1/exercises/{name}', { params: { path: { name } } })),
  );
  return (
    <>
      <p>
        <a href={hrefOf(['exercises'])}>All exercises</a>
      </p>
      <h1>{exercise?.title ?? 'Exercise'}</h1>
      <ErrorNotice error={error} />
      {exercise === null && error === null ? <p class="loading">Loading…</p> : null}
      {exercise === null ? null : (
        <>
          <Facts {...{ exercise, membership }} />
          <section>
            <h2>Task</h2>
            <Markdown text={exercise.statement} />
          </section>
          {hasWork(membership) ? <Work {...{ exercise, query, membership }} /> : null}
          {isInstructor(membership) ? (
            <Suspicions name={name} timeZone={membership.ofClass?.timeZone} />
          ) : null}
        </>
      )}
      <Equivalent
        command={['exercise', 'show', name, '--server', location.origin]}
        request={{ method: 'GET', path: `/v1/exercises/${name}` }}
      />
    </>
  );
}

interface FactsProps {
  readonly exercise: Exercise;
  readonly membership: Membership;
}

function Facts({ exercise, membership: { ofClass } }: FactsProps) {
  const { points, difficulty, requires, teaches, closed, submissions, budgetAttempts } = exercise;
  const assignment = ofClass?.exercises.find(({ name }) => name === exercise.name);
  return (
    <>
      <p class="facts">
        Difficulty {difficulty} of 6 · {counted(points, 'point')} ·{' '}
        {isFileKind(exercise.submission)
          ? 'graded by your instructor'
          : `${counted(submissions.evaluated, 'submission')} in ${duration(submissions.perSeconds)}`}
        {submissions.inAll === null ? null : `, ${submissions.inAll} in all`}
        {ofClass === null || assignment === undefined
          ? null
          : ` · deadline (${ofClass.timeZone}): ${deadlineText(assignment, ofClass.timeZone)}`}
      </p>
      {requires.length === 0 ? null : (
        <p>
          Solve before:{' '}
          {requires.map((name, index) => (
            <span key={name}>
              {index === 0 ? null : ', '}
              <a href={hrefOf(['exercises', name])}>{name}</a>
            </span>
          ))}
        </p>
      )}
      <ul>
        {teaches.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
      {closed.length === 0 ? null : <p>Closed for your instance: {closed.join(', ')}.</p>}
      {budgetAttempts === null ? null : <p>Budget: {counted(budgetAttempts, 'attempt')}.</p>}
    </>
  );
}

interface WorkProps extends FactsProps, Pick<ViewProps, 'query'> {}

function Work({ exercise, query, membership }: WorkProps) {
  const { name } = exercise;
  const isStarted = query.started !== undefined;
  return (
    <>
      <section>
        <h2>Your instance</h2>
        {isStarted ? (
          <Instance name={name} />
        ) : (
          <button type="button" class="primary" onClick={() => keepInAddress({ started: 'yes' })}>
            Start
          </button>
        )}
      </section>
      {membership.ofClass === null ? null : (
        <Hints {...{ exercise }} ofClass={membership.ofClass} />
      )}
      <Submissions exercise={exercise} timeZone={membership.ofClass?.timeZone} />
      <Commands {...{ exercise, membership }} />
    </>
  );
}

/** The instance of the caller. The request creates its elections if they do not exist. */
function Instance({ name }: { readonly name: string }) {
  const instance = useSignal<Schema<'ExerciseInstance'> | null>(null);
  const error = useSignal<unknown>(null);
  useEffect(() => {
    const params = { path: { name } };
    answerOf(api.POST('/v1/exercises/{name}/instances', { params })).then(
      (created) => {
        instance.value = created;
      },
      (refusal: unknown) => {
        if (!asksForSignIn(refusal)) error.value = refusal;
      },
    );
  }, [name]);
  if (instance.value === null) return <ErrorNotice error={error.value} />;
  const { id, given, challenge, attemptsLeft, elections, policy } = instance.value;
  const budget = attemptsLeft === null ? {} : { attemptsLeft };
  return (
    <div class="instance">
      <Values data={{ id, ...budget, given, challenge }} />
      {Object.keys(elections).length === 0 ? null : (
        <>
          <h3>Elections</h3>
          <ul>
            {Object.entries(elections).map(([key, path]) => (
              <li key={key}>
                <a href={hrefOf(['elections', path.split('/').at(-1) ?? ''])}>Open {key}</a>
              </li>
            ))}
          </ul>
        </>
      )}
      <details>
        <summary>Policy of claims</summary>
        <Values data={policy} />
      </details>
    </div>
  );
}

function Commands({ exercise, membership }: FactsProps) {
  const { name, links, submission } = exercise;
  const command = (...words: readonly string[]) =>
    lineOf(['exercise', ...words, '--server', location.origin]);
  return (
    <section class="commands">
      <h2>Commands</h2>
      {membership.role === null ? null : (
        <p>
          The commands read your token from the variable <code>USURP_TOKEN</code>. Curl sends it
          with <code>-H "Authorization: Bearer $USURP_TOKEN"</code>.
        </p>
      )}
      <Copied name="start" text={command('start', name)} />
      <Copied name="curl, start" text={curlLine({ method: 'POST', path: links.instances })} />
      {isFileKind(submission) ? null : (
        <>
          <Copied name="submit" text={command('submit', name, 'answer.json')} />
          <Copied
            name="curl, submit"
            text={`${curlLine({ method: 'POST', path: links.submissions })} -H 'Content-Type: application/json' -d @answer.json`}
          />
          <Copied name="status" text={command('status', name)} />
        </>
      )}
    </section>
  );
}
