/**
 * @module
 * One exercise: its task, the caller's instance, hints and submissions, and the commands that do the same.
 */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { allPages, answerOf, api } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { Copied, curlLine, Equivalent, lineOf } from '../parts/equivalent.tsx';
import { ErrorNotice, Notice } from '../parts/notice.tsx';
import { counted, dayAndTime, duration } from '../parts/numbers.ts';
import { Values } from '../parts/values.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { hrefOf } from '../shell/router.ts';
import { asksForSignIn } from '../shell/sign-in.tsx';
import { useAnswer } from '../shell/use-answer.ts';
import { useAttempt } from '../shell/use-attempt.ts';
import { AnswerForm } from './answer-form.tsx';
import type { Membership } from './exercise-list.tsx';
import { deadlineOf, hasWork, isInstructor, readSubmissions } from './exercise-list.tsx';
import { Markdown } from './markdown.tsx';

type Exercise = Schema<'Exercise'>;

interface ExercisePageProps {
  readonly name: string;
  readonly membership: Membership;
}

export function ExercisePage({ name, membership }: ExercisePageProps) {
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
          <Remarks name={name} ofClass={membership.ofClass} />
          <section>
            <h2>Task</h2>
            <Markdown text={exercise.statement} />
          </section>
          {hasWork(membership) ? <Work {...{ exercise, membership }} /> : null}
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
        {exercise.answer === null
          ? 'graded by your instructor'
          : `${counted(submissions.evaluated, 'submission')} in ${duration(submissions.perSeconds)}`}
        {submissions.inAll === null ? null : `, ${submissions.inAll} in all`}
        {ofClass === null || assignment === undefined
          ? null
          : ` · deadline (${ofClass.timeZone}): ${deadlineOf(assignment, ofClass.timeZone)}`}
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

interface RemarksProps {
  readonly name: string;
  readonly ofClass: Membership['ofClass'];
}

/** What an instructor has decided about the caller's work, with the comments. */
function Remarks({ name, ofClass }: RemarksProps) {
  const assignment = ofClass?.exercises.find((each) => each.name === name);
  if (assignment === undefined) return null;
  const { isManual, score, comment, deadlineComment } = assignment;
  const said = (text: string | null) => (text === null ? '' : ` “${text}”`);
  return (
    <>
      {isManual || comment !== null ? (
        <Notice kind="info">
          {isManual ? `Your instructor has set ${counted(score, 'point')}.` : 'Your instructor:'}
          {said(comment)}
        </Notice>
      ) : null}
      {deadlineComment === null ? null : (
        <Notice kind="info">Your instructor about your deadline:{said(deadlineComment)}</Notice>
      )}
    </>
  );
}

function Work({ exercise, membership }: FactsProps) {
  const { name } = exercise;
  const startedKey = keyOf('started', { exercise, membership });
  const isStarted = useSignal(sessionStorage.getItem(startedKey) !== null);
  const start = () => {
    sessionStorage.setItem(startedKey, 'yes');
    isStarted.value = true;
  };
  return (
    <>
      <section>
        <h2>Your instance</h2>
        {isStarted.value ? (
          <Instance name={name} />
        ) : (
          <button type="button" class="primary" onClick={start}>
            Start
          </button>
        )}
      </section>
      {membership.ofClass === null ? null : (
        <Hints {...{ exercise }} ofClass={membership.ofClass} />
      )}
      <Submissions {...{ exercise, membership }} />
      <Commands {...{ exercise, membership }} />
    </>
  );
}

/** The item of sessionStorage about the caller's work on an exercise. */
function keyOf(item: string, { exercise, membership: { role, ofClass } }: FactsProps): string {
  return `usurp/${item}/${exercise.name}/${ofClass?.member.name ?? role ?? ''}`;
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
      <Values data={{ id, ...budget, challenge }} />
      {Object.entries(given).map(([member, value]) => (
        <Copied key={member} name={`given.${member}`} text={copiedText(value)} isWhole />
      ))}
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
        <Copied name="policy" text={JSON.stringify(policy)} isWhole />
      </details>
    </div>
  );
}

/** A value as it is copied into a command, a program or an answer. */
function copiedText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function Commands({ exercise, membership }: FactsProps) {
  const { name, links, answer } = exercise;
  const command = (...words: readonly string[]) =>
    lineOf(['exercise', ...words, '--server', location.origin]);
  return (
    <section class="commands">
      <h2>Commands</h2>
      <p>
        The <a href="/docs/exercises#starter-clients">starter clients</a> send requests and sign.
      </p>
      {membership.role === null ? null : (
        <p>
          The commands and the curl lines read your token from the variable <code>USURP_TOKEN</code>
          .
        </p>
      )}
      <Copied name="start" text={command('start', name)} />
      <Copied name="curl, start" text={curlLine({ method: 'POST', path: links.instances })} />
      {answer === null ? null : (
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

type Graded = Schema<'GradedSubmission'>;

function Submissions({ exercise, membership }: FactsProps) {
  const { name, submission: kind, answer } = exercise;
  const draftKey = keyOf('answer', { exercise, membership });
  const graded = useSignal<Graded | null>(null);
  const { error, attempt } = useAttempt();
  const submit = (given: unknown) =>
    attempt(async () => {
      graded.value = null;
      // The server refuses what is no submission.
      const body = given as Schema<'Submission'>;
      const params = { path: { name } };
      graded.value = await answerOf(api.POST('/v1/exercises/{name}/submissions', { params, body }));
      if (graded.value.status === 'correct') sessionStorage.removeItem(draftKey);
    });
  return (
    <section class="submissions">
      <h2>Your answer</h2>
      {answer === null ? (
        <Notice kind="info">
          The answer is a file with a {kind}. Hand it in to your instructor, who grades it with{' '}
          <code>usurp grade</code>.
        </Notice>
      ) : (
        <AnswerForm {...{ schema: answer, draftKey }} onSubmit={(given) => void submit(given)} />
      )}
      <ErrorNotice error={error.value} />
      {graded.value === null ? null : <Grade graded={graded.value} />}
      <Earlier
        key={graded.value?.id}
        {...{ name, timeZone: membership.ofClass?.timeZone, isOpen: graded.value === null }}
      />
    </section>
  );
}

const WORDS = {
  correct: 'correct',
  partial: 'partly correct',
  incorrect: 'not correct',
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

interface EarlierProps {
  readonly name: string;
  /** The time zone of the class; without a class that of the reader. */
  readonly timeZone: string | undefined;
  /** Whether the findings of the last submission are shown. */
  readonly isOpen: boolean;
}

/** The submissions that the server has graded, the newest first. */
function Earlier({ name, timeZone, isOpen }: EarlierProps) {
  const { value: submissions, error } = useAnswer(() => readSubmissions(name));
  return (
    <>
      <h3>Your submissions{timeZone === undefined ? null : ` (times in ${timeZone})`}</h3>
      <ErrorNotice error={error} />
      {submissions?.length === 0 ? <p>There are none.</p> : null}
      {(submissions ?? []).map(({ id, created, status, points, findings }, index) => (
        <details key={id} open={isOpen && index === 0}>
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

interface HintsProps {
  readonly exercise: Schema<'Exercise'>;
  readonly ofClass: Schema<'Class'>;
}

/** The hints of an exercise with their costs. A class charges the cost of each once. */
function Hints({ exercise: { name, hints }, ofClass }: HintsProps) {
  const taken = useSignal<Readonly<Record<number, Schema<'Hint'>>>>({});
  const { error, attempt } = useAttempt();
  const charged = ofClass.exercises.find((each) => each.name === name)?.hintsTaken ?? [];
  const take = (number: number) =>
    attempt(async () => {
      const params = { path: { name, number: String(number) } };
      const hint = await answerOf(api.POST('/v1/exercises/{name}/hints/{number}', { params }));
      taken.value = { ...taken.value, [number]: hint };
    });
  // A hint that was taken costs nothing again.
  useEffect(() => {
    if (ofClass.hints) for (const number of charged) void take(number);
  }, []);
  if (hints.length === 0 || !ofClass.hints) return null;
  return (
    <section>
      <h2>Hints</h2>
      <ErrorNotice error={error.value} />
      <ol>
        {hints.map(({ title, cost }, index) => {
          const hint = taken.value[index + 1];
          const price = charged.includes(index + 1) ? 'taken before' : counted(cost, 'point');
          return (
            <li key={title}>
              {title}{' '}
              {hint === undefined ? (
                <button type="button" class="beside-text" onClick={() => void take(index + 1)}>
                  Take this hint ({price})
                </button>
              ) : (
                <Markdown text={hint.content} />
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

interface SuspicionsProps {
  readonly name: string;
  readonly timeZone: string | undefined;
}

/** Submissions to an exercise with data of another student, for instructors. */
function Suspicions({ name, timeZone }: SuspicionsProps) {
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
