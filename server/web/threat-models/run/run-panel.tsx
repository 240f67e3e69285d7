/**
 * @module
 * This folder contains the run of a threat model and its extreme runs. This file asks the operation `run` about the
 * document as it is, with progress, and shows its report. The job is in the address.
 */

import type { FollowedJob } from '../../api/jobs.ts';
import { cancelJob, isOver, useJob } from '../../api/jobs.ts';
import { hasNoServer } from '../../api/lab-thread.ts';
import { reportOf, submittedJob } from '../../operations/asking.ts';
import type { Operation } from '../../operations/draft.ts';
import { bodyOf, commandOf } from '../../operations/draft.ts';
import { Fields, readOperations } from '../../operations/operations.tsx';
import { ReportView } from '../../operations/report.tsx';
import { Equivalent } from '../../parts/equivalent.tsx';
import { ErrorNotice, Notice } from '../../parts/notice.tsx';
import { Progress } from '../../parts/progress.tsx';
import type { QueryProps } from '../../shell/router.ts';
import { keepInAddress } from '../../shell/router.ts';
import { useAnswer } from '../../shell/use-answer.ts';
import { useAttempt } from '../../shell/use-attempt.ts';
import { faultsOfServer } from '../catalogue-data.ts';
import { Extremes } from './extremes.tsx';
import type { RunJob } from './run-elections.ts';

interface RunPanelProps extends QueryProps {
  readonly id: string;
  /** What is run: an id of the catalogue, or the data of the edited document. */
  readonly document: unknown;
  readonly data: unknown;
  readonly isEdited: boolean;
  readonly isRefused: boolean;
}

/** The form of the operation, and its report below. */
export function RunPanel(props: RunPanelProps) {
  const { value, error } = useAnswer(readOperations);
  const operation = value?.find(({ name }) => name === 'run');
  if (operation !== undefined) return <Panel {...props} operation={operation} />;
  return <ErrorNotice error={error} />;
}

function Panel(props: RunPanelProps & { readonly operation: Operation }) {
  const { operation, id, document, data, isEdited, isRefused, query } = props;
  const { error, submitting, isBusy } = useAttempt();
  const followed = useJob(query.job ?? null).value;
  const job = followed.job?.kind === 'run' ? followed.job : null;
  const isRunning = query.job !== undefined && job !== null && !isOver(job);
  // The page edits the document itself.
  const asked = withoutDocument(operation);
  const body = { threatModel: document, ...bodyOf(asked, query) };
  const run = submitting(async () => {
    if (isEdited && (await faultsOfServer(document)).length > 0) return;
    keepInAddress({ job: (await submittedJob(operation, body)).id, extremes: null });
  });
  return (
    <section class="run panel" aria-label="Run">
      <div class="operation">
        <form class="question" aria-label="Question" onSubmit={run}>
          <Fields operation={asked} query={query} error={error.value} />
          <div class="controls">
            <button type="submit" class="primary" disabled={isRefused || isRunning || isBusy.value}>
              {isEdited ? 'Run the edited model' : 'Run the model'}
            </button>
            {isRunning ? (
              <button type="button" onClick={() => void cancelJob(job.id)}>
                Cancel
              </button>
            ) : null}
            {isRefused ? (
              <span>Correct the document first. The faults are shown below.</span>
            ) : null}
          </div>
        </form>
        <div class="result-side">
          <ErrorNotice error={error.value ?? followed.error} />
          <RunState followed={followed} job={job} />
          {job?.result === undefined ? null : (
            <>
              {isOfOther(job, body) ? (
                <Notice kind="info">
                  The document or its settings have changed since this run.
                </Notice>
              ) : null}
              <Report key={job.id} id={job.id} />
            </>
          )}
        </div>
      </div>
      {job?.result === undefined || hasNoServer ? null : (
        <Extremes {...{ id, data, query }} report={job.result} />
      )}
      <Equivalent
        command={commandOf(operation, { ...body, threatModel: isEdited ? `${id}.yaml` : id })}
        request={{ method: 'POST', path: '/v1/runs', body }}
      />
    </section>
  );
}

/** The operation without the members that the document of the page states. */
function withoutDocument(operation: Operation): Operation {
  const members = operation.members.filter(({ name }) => !['threatModel', 'set'].includes(name));
  return { ...operation, members };
}

function Report({ id }: { readonly id: string }) {
  const { value, error } = useAnswer(() => reportOf(id));
  return value === null ? <ErrorNotice error={error} /> : <ReportView report={value} />;
}

function RunState({ followed, job }: { followed: FollowedJob; job: RunJob | null }) {
  if (job === null) return null;
  const { status, problem } = job;
  if (status === 'failed' || status === 'interrupted') {
    return <Notice kind="error">{problem?.detail ?? `The run is ${status}.`}</Notice>;
  }
  if (status === 'cancelled') return <Notice kind="info">The run was cancelled.</Notice>;
  if (isOver(job)) return null;
  // Every operation has this form of progress.
  const { now, done, total } = (followed.progress ?? job.progress) as RunJob['progress'];
  const note = status === 'queued' ? 'waits for its turn' : now;
  return <Progress label="Runs" {...{ done, total, note }} />;
}

/** Whether a job ran something else than the body asks for. */
function isOfOther({ request }: RunJob, body: Readonly<Record<string, unknown>>): boolean {
  const then: Readonly<Record<string, unknown>> = request;
  return Object.keys(body).some((name) => {
    const isTyped = typeof body[name] !== 'object' && typeof then[name] !== 'object';
    return isTyped
      ? String(body[name]) !== String(then[name])
      : JSON.stringify(body[name]) !== JSON.stringify(then[name]);
  });
}
