/**
 * @module
 * One sweep: what it runs, its progress, and how to stop it, to start it again or to change it.
 */

import { answerOf, api } from '../api/client.ts';
import type { FollowedJob } from '../api/jobs.ts';
import { cancelJob, isOver, once, useJob } from '../api/jobs.ts';
import { Equivalent } from '../parts/equivalent.tsx';
import { ErrorNotice, Notice } from '../parts/notice.tsx';
import { count, counted, seconds } from '../parts/numbers.ts';
import { Progress } from '../parts/progress.tsx';
import type { ObjectProps } from '../shell/router.ts';
import { go, hrefOf } from '../shell/router.ts';
import { useAnswer } from '../shell/use-answer.ts';
import { useAttempt } from '../shell/use-attempt.ts';
import { loadCatalogue } from '../threat-models/catalogue-data.ts';
import { flowOf } from '../threat-models/draft.ts';
import { addressOfRequest, documentOf } from './document.ts';
import type { SweepJob } from './picture-input.ts';
import { commandOf } from './plan.ts';
import { Results } from './results.tsx';

export function SweepPage({ id, query }: ObjectProps) {
  const followed = useJob(id).value;
  const { job } = followed;
  const back = (
    <p>
      <a href={hrefOf(['sweeps'])}>All sweeps</a>
    </p>
  );
  if (job === null || job.kind !== 'sweep') {
    const isOther = job !== null;
    return (
      <>
        {back}
        <h1>Sweep {id}</h1>
        <ErrorNotice error={followed.error} />
        {isOther ? <Notice kind="error">This job is not a sweep.</Notice> : null}
        {!isOther && followed.error === null ? <p class="loading">Loading…</p> : null}
      </>
    );
  }
  const { request } = job;
  const { threatModel } = request;
  const isEdited = typeof threatModel !== 'string';
  const model = isEdited ? String(threatModel['id']) : threatModel;
  return (
    <>
      {back}
      <h1>Sweep of {model}</h1>
      <Facts job={job} isEdited={isEdited} />
      <State job={job} followed={followed} />
      <Finished job={job} query={query} />
      <Equivalent
        command={commandOf(request, isEdited ? `${model}.yaml` : model)}
        request={{ method: 'POST', path: '/v1/sweeps', body: request }}
      />
    </>
  );
}

function Facts({ job, isEdited }: { readonly job: SweepJob; readonly isEdited: boolean }) {
  const { grid, cells, request, resumed } = job;
  const { set = {}, runs, seed, seeds } = request;
  const settings = Object.entries(set).map(([path, value]) => `${path}=${flowOf(value)}`);
  const facts = [
    ['Axes', grid.map(({ path, values }) => `${path} (${values} values)`).join(' × ') || 'none'],
    ['Size', `${counted(cells, 'cell')}, ${runs} runs of each`],
    ['Seed', `${seed}, ${seeds === 'independent' ? 'independent' : 'the same for all cells'}`],
    ...(settings.length === 0 ? [] : [['Settings', settings.join(', ')]]),
    ...(isEdited ? [['Document', 'edited']] : []),
    ...(resumed === null ? [] : [['Resumes', resumedText(job)]]),
  ];
  return (
    <dl class="facts">
      {facts.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Which sweep it resumes, and how many runs it took over. */
function resumedText({ resumed, result }: SweepJob): string {
  const reused = result?.reused;
  return `sweep ${resumed}${reused === undefined ? '' : `, with ${counted(reused, 'finished run')} of it`}`;
}

interface StateProps {
  readonly job: SweepJob;
  readonly followed: FollowedJob;
}

/** Progress while it goes on; why and how it stopped otherwise. */
function State({ job, followed: { progress, error } }: StateProps) {
  const { error: refusal, attempt } = useAttempt();
  const { id, status } = job;
  if (isOver(job)) return <Stopped job={job} />;
  return (
    <div class="panel state" role="status">
      <Progress label="Progress of the sweep" {...progressOf(job, progress ?? job.progress)} />
      <button
        type="button"
        disabled={status === 'cancelling'}
        onClick={() => void attempt(() => cancelJob(id))}
      >
        Cancel the sweep
      </button>
      <ErrorNotice error={refusal.value ?? error} />
    </div>
  );
}

interface SweepProgress {
  readonly done: number;
  readonly total: number | null;
  readonly note: string;
}

/** The progress of a sweep in words and numbers. `progress` is that of the job, or of its last event. */
function progressOf(
  { status }: Pick<SweepJob, 'status'>,
  progress: FollowedJob['progress'] | SweepJob['progress'],
): SweepProgress {
  if (status === 'queued') return { done: 0, total: null, note: 'waits for its turn' };
  if (status === 'cancelling') return { done: 0, total: null, note: 'writes what was computed' };
  if (progress === null || progress === undefined || !('phase' in progress)) {
    return { done: 0, total: null, note: 'begins' };
  }
  if (progress.phase === 'planning') {
    const { cells: done, cellsTotal: total } = progress;
    return { done, total, note: `plans ${count(done)} of ${counted(total, 'cell')}` };
  }
  if (progress.phase === 'writing') {
    const { runs: done, runsTotal: total } = progress;
    return { done, total, note: 'writes the tables' };
  }
  if (progress.phase === 'computing') {
    const { cells, cellsDone, runs: total, runsDone: done, secondsLeft } = progress;
    const left = secondsLeft === null ? '' : `, about ${seconds(secondsLeft)} left`;
    const runs = `${count(done)} of ${counted(total, 'run')}`;
    return {
      done,
      total,
      note: `${count(cellsDone)} of ${counted(cells, 'cell')}, ${runs}${left}`,
    };
  }
  return { done: 0, total: null, note: '' };
}

function Stopped({ job: { status, problem, result } }: { readonly job: SweepJob }) {
  if (status === 'failed' || status === 'interrupted') {
    return <Notice kind="error">{problem?.detail ?? `The sweep is ${status}.`}</Notice>;
  }
  if (status !== 'cancelled') return null;
  const kept = result?.runs ?? 0;
  return (
    <Notice kind="info">
      The sweep was cancelled.{' '}
      {kept === 0 ? 'No run was computed.' : `What follows has the ${counted(kept, 'run')} so far.`}
    </Notice>
  );
}

/** What can be done with a sweep that is over. */
function Finished({
  job,
  query,
}: {
  readonly job: SweepJob;
  readonly query: ObjectProps['query'];
}) {
  const { value: catalogue, error: failure } = useAnswer(loadCatalogue);
  const { error, attempt } = useAttempt();
  if (!isOver(job)) return null;
  const isComplete = job.result?.complete === true;
  const kept = job.result?.runs ?? 0;
  const isResumed = !isComplete && kept > 0;
  const again = () =>
    attempt(async () => {
      const body = isResumed ? { ...job.request, resumes: job.id } : job.request;
      go(['sweeps', (await answerOf(api.POST('/v1/sweeps', { params: once(), body }))).id]);
    });
  const results =
    catalogue === null || (job.result?.bytes ?? 0) === 0 ? null : (
      <Results {...{ job, query, catalogue }} document={documentOf(job.request, catalogue)} />
    );
  return (
    <>
      {isResumed ? null : results}
      <section aria-labelledby="again">
        <h2 id="again">{isResumed ? 'Resume' : 'Run it again'}</h2>
        <p>
          {isResumed
            ? `A new sweep takes over the ${counted(kept, 'finished run')} and computes only the others.`
            : 'The new sweep has the same seed and gives the same numbers.'}
        </p>
        <div class="controls">
          <button
            type="button"
            class={isResumed ? 'primary' : undefined}
            onClick={() => void again()}
          >
            {isResumed ? 'Resume the sweep' : 'Run it again'}
          </button>
          <button
            type="button"
            disabled={catalogue === null}
            onClick={() => {
              if (catalogue === null) return;
              void addressOfRequest(job.request, catalogue).then((address) =>
                go(['sweeps'], address),
              );
            }}
          >
            Change it
          </button>
        </div>
        <ErrorNotice error={error.value ?? failure} />
      </section>
      {isResumed ? results : null}
    </>
  );
}
