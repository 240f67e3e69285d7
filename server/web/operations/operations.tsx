/**
 * @module
 * This folder contains the form of every operation and its answer. The server describes the operation, so that nothing
 * here knows one by name. The address holds the input.
 */

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

import { answerOf, api, ProblemError } from '../api/client.ts';
import { Equivalent } from '../parts/equivalent.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { count } from '../parts/numbers.ts';
import { Progress } from '../parts/progress.tsx';
import type { QueryProps } from '../shell/router.ts';
import { address, go, hrefOf } from '../shell/router.ts';
import { asksForSignIn } from '../shell/sign-in.tsx';
import { useAnswer } from '../shell/use-answer.ts';
import { useAttempt } from '../shell/use-attempt.ts';
import type { ViewProps } from '../shell/views.ts';
import type { Asked } from './asking.ts';
import { submittedJob, useAsking } from './asking.ts';
import type { Operation } from './draft.ts';
import { bodyOf, commandOf, membersOf, textIn } from './draft.ts';
import { Field } from './field.tsx';
import './operations.css';
import { ReportView } from './report.tsx';

export function View({ query }: ViewProps) {
  // An operation with a place in the navigation has a short address, #/design.
  const [view = '', name = view] = address.value.segments;
  return <OperationPage {...{ name, query }} />;
}

interface PageProps extends QueryProps {
  readonly name: string;
  /** Controls beside the button. */
  readonly beside?: ComponentChildren;
}

/** The form of the operation of this name. All operations if the name is `operations`. */
export function OperationPage({ name, ...rest }: PageProps) {
  const { value, error } = useAnswer(readOperations);
  const operation = value?.find((each) => each.name === name) ?? null;
  if (value === null || name === 'operations') {
    return (
      <>
        <h1>Operations</h1>
        <ErrorNotice error={error} />
        <ul>
          {value?.map((each) => (
            <li key={each.name}>
              <a href={hrefOf(['operations', each.name])}>{each.title}</a>: {each.summary}
            </li>
          ))}
        </ul>
      </>
    );
  }
  if (operation === null) return <p>There is no operation {name}.</p>;
  return <OperationView key={name} {...{ operation, ...rest }} />;
}

/** The operations of the server. */
export async function readOperations(): Promise<readonly Operation[]> {
  const params = { query: { pageSize: '100' } };
  return (await answerOf(api.GET('/v1/operations', { params }))).items;
}

/** The views of operations whose jobs show more than a report. */
const JOB_VIEWS: Readonly<Record<string, string>> = {
  check: 'checks',
  'attack-matrix': 'matrices',
  'fault-matrix': 'matrices',
};

type OperationProps = Omit<PageProps, 'name'> & { readonly operation: Operation };

function OperationView({ operation, query, beside }: OperationProps) {
  const body = bodyOf(operation, query);
  const view = JOB_VIEWS[operation.name];
  const going = useAttempt();
  const wanted = useSignal(operation.answersWhileTyping ? 1 : 0);
  const ask = going.submitting(async () => {
    if (view === undefined) wanted.value += 1;
    else go([view, (await submittedJob(operation, body)).id]);
  });
  const asked = useAsking(operation, { body, wanted: wanted.value, job: query.job }).value;
  return (
    <>
      <h1>{operation.title}</h1>
      {operation.description
        .split('\n')
        .slice(0, 1)
        .map((text) => (
          <p key={text}>{text}</p>
        ))}
      <div class="operation">
        <form class="question" aria-label="Question" onSubmit={ask}>
          <Fields {...{ operation, query, error: asked.error ?? going.error.value }} />
          {operation.answersWhileTyping ? null : (
            <div class="controls">
              <button
                class="primary"
                type="submit"
                disabled={asked.isPending || going.isBusy.value}
              >
                Run
              </button>
              {beside}
            </div>
          )}
        </form>
        <div class="result-side">
          <ErrorNotice error={going.error.value} />
          <State asked={asked} />
          {asked.report === null ? null : (
            <div class={asked.isPending || asked.error !== null ? 'outdated' : undefined}>
              <ReportView report={asked.report} />
            </div>
          )}
        </div>
      </div>
      <Equivalent
        command={commandOf(operation, body)}
        request={{ method: 'POST', path: `/v1/${operation.collection}`, body }}
      />
    </>
  );
}

interface FieldsProps extends QueryProps {
  readonly operation: Operation;
  readonly error: unknown;
}

/** The members of an operation, those that are seldom needed on request. */
export function Fields({ operation, query, error }: FieldsProps) {
  const members = membersOf(operation);
  const further = members.filter(({ isFurther }) => isFurther);
  const fieldOf = (member: (typeof members)[number]) => (
    <Field key={member.name} {...{ member, query, fault: faultOf(error, member.name) }} />
  );
  return (
    <>
      {members.filter(({ isFurther }) => !isFurther).map(fieldOf)}
      {further.length === 0 ? null : (
        <details open={further.some((member) => textIn(query, member) !== textIn({}, member))}>
          <summary>More</summary>
          {further.map(fieldOf)}
        </details>
      )}
    </>
  );
}

/** Why the server refuses this member. Null if it does not. */
export function faultOf(error: unknown, name: string): string | null {
  if (!(error instanceof ProblemError)) return null;
  const fault = error.problem.errors?.find(({ pointer }) => pointer.startsWith(`#/${name}`));
  return fault?.detail ?? null;
}

/** Says whether the answer is that to the question as it is now. */
function State({ asked }: { readonly asked: Asked }) {
  const { error, isPending, progress, report, cancel } = asked;
  return (
    <div class="state" aria-live="polite">
      {error === null || asksForSignIn(error) ? null : (
        <>
          <ErrorNotice error={error} />
          {report === null ? null : <p>Below is the last answer.</p>}
        </>
      )}
      {isPending && progress !== null ? (
        <div class="controls">
          <Progress
            label="Progress"
            done={progress.done}
            total={progress.total}
            note={
              progress.total === null && progress.done > 0
                ? `${count(progress.done)} ${progress.now}`
                : progress.now
            }
          />
          <button type="button" onClick={cancel}>
            Stop
          </button>
        </div>
      ) : null}
      {isPending && progress === null && report === null ? <p class="loading">Computing…</p> : null}
    </div>
  );
}
