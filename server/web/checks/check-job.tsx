/**
 * @module
 * The job of a check: its progress, its result in plain words, and the counterexample.
 */

import { useSignal } from '@preact/signals';

import type { Job, Schema } from '../api/contract.ts';
import { cancelJob, isOver, useJob } from '../api/jobs.ts';
import { reportOf } from '../operations/asking.ts';
import { queryOf } from '../operations/draft.ts';
import { ReportView } from '../operations/report.tsx';
import { Equivalent } from '../parts/equivalent.tsx';
import { ErrorNotice, Notice } from '../parts/notice.tsx';
import { count } from '../parts/numbers.ts';
import { Progress } from '../parts/progress.tsx';
import type { ObjectProps } from '../shell/router.ts';
import { hrefOf } from '../shell/router.ts';
import { asksForSignIn } from '../shell/sign-in.tsx';
import { useAnswer } from '../shell/use-answer.ts';
import { CounterexampleView } from './counterexample.tsx';

type CheckJob = Schema<'CheckJob'>;
type Query = ObjectProps['query'];

export function CheckJobView({ id, query }: ObjectProps) {
  const { job, progress, error } = useJob(id).value;
  if (error !== null && !asksForSignIn(error)) return <Failed error={error} />;
  if (job === null) return <p class="loading">Loading…</p>;
  if (job.kind !== 'check') return <Failed error={new Error('This job is no check.')} />;
  const { request, result } = job;
  return (
    <>
      <h1>Check of {request.protocol}</h1>
      {isOver(job) ? null : <Running job={job} progress={progress} />}
      {job.problem === undefined ? null : <Notice kind="error">{job.problem.detail}</Notice>}
      {result === undefined ? null : <ResultView job={job} query={query} />}
      <p>
        <a href={hrefOf(['checks', 'walk'], queryOf(request))}>Walk through its worlds by hand</a>
        {' · '}
        <a href={hrefOf(['checks'], queryOf(request))}>Change this check</a>
      </p>
      <Equivalent
        command={result?.replay ?? null}
        request={{ method: 'GET', path: job.links.self }}
      />
    </>
  );
}

function Failed({ error }: { readonly error: unknown }) {
  return (
    <>
      <h1>Check</h1>
      <ErrorNotice error={error} />
    </>
  );
}

function Running({ job, progress }: { readonly job: Job; readonly progress: unknown }) {
  const isCancelling = useSignal(false);
  // Every operation has this form of progress.
  const counts = progress as Schema<'OperationProgress'> | null;
  const note =
    counts === null || counts.done === 0
      ? 'It begins when the jobs before it have had their turn.'
      : `${count(counts.done)} ${counts.now}`;
  return (
    <div class="controls">
      <Progress label="Worlds visited" done={0} total={null} note={note} />
      <button
        type="button"
        disabled={isCancelling.value}
        onClick={() => {
          isCancelling.value = true;
          void cancelJob(job.id);
        }}
      >
        Cancel
      </button>
    </div>
  );
}

function ResultView({ job, query }: { readonly job: CheckJob; readonly query: Query }) {
  const { id, result } = job;
  const { value: report, error } = useAnswer(() => reportOf(id), id);
  return (
    <>
      <ErrorNotice error={error} />
      {report === null ? null : <ReportView report={report} />}
      {result !== undefined && 'actions' in result ? (
        <CounterexampleView job={job} result={result} step={query.step} />
      ) : null}
    </>
  );
}
