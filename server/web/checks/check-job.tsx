/**
 * @module
 * The job of a check: its progress, its result in plain words, and the counterexample.
 */

import type { Schema } from '../api/contract.ts';
import { isOver, useJob } from '../api/jobs.ts';
import { reportOf } from '../operations/asking.ts';
import { queryOf } from '../operations/draft.ts';
import { NoJob, Running } from '../operations/job-frame.tsx';
import { ReportView } from '../operations/report.tsx';
import { Equivalent } from '../parts/equivalent.tsx';
import { ErrorNotice, Notice } from '../parts/notice.tsx';
import { count } from '../parts/numbers.ts';
import type { ObjectProps } from '../shell/router.ts';
import { hrefOf } from '../shell/router.ts';
import { useAnswer } from '../shell/use-answer.ts';
import { CounterexampleView } from './counterexample.tsx';

type CheckJob = Schema<'CheckJob'>;
type Query = ObjectProps['query'];

export function CheckJobView({ id, query }: ObjectProps) {
  const { job, progress, error } = useJob(id).value;
  const other = job !== null && job.kind !== 'check' ? new Error('This job is not a check.') : null;
  if (error !== null || job?.kind !== 'check')
    return <NoJob title="Check" error={error ?? other} />;
  const { request, result } = job;
  return (
    <>
      <h1>Check of {request.protocol}</h1>
      {isOver(job) ? null : <Running job={job} {...progressOf(progress)} />}
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

/** The number of worlds visited. It is not known how many there are. */
function progressOf(progress: unknown) {
  // Every operation has this form of progress.
  const counts = progress as Schema<'OperationProgress'> | null;
  const note =
    counts === null || counts.done === 0
      ? 'It begins when the jobs before it have had their turn.'
      : `${count(counts.done)} ${counts.now}`;
  return { label: 'Worlds visited', done: 0, total: null, note };
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
