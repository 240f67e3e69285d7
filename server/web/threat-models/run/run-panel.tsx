/**
 * @module
 * This folder contains the run of a threat model and its report. This file runs the document as it is, with progress, and shows the verdict. The job is in the address.
 */

import { answerOf, api } from '../../api/client.ts';
import type { Schema } from '../../api/contract.ts';
import type { FollowedJob } from '../../api/jobs.ts';
import { cancelJob, isOver, once, useJob } from '../../api/jobs.ts';
import { Equivalent } from '../../parts/equivalent.tsx';
import { ErrorNotice, Notice } from '../../parts/notice.tsx';
import { count } from '../../parts/numbers.ts';
import { Progress } from '../../parts/progress.tsx';
import { keepInAddress } from '../../shell/router.ts';
import { useAttempt } from '../../shell/use-attempt.ts';
import { isRecord } from '../form/form-schema.ts';
import { faultsOfServer } from '../validation.ts';
import { Extremes } from './extremes.tsx';
import type { RunJob } from './report.ts';
import { Result } from './result.tsx';

interface RunPanelProps {
  readonly id: string;
  /** What is run: an id of the catalogue, or the data of the edited document. */
  readonly document: unknown;
  readonly data: unknown;
  readonly isEdited: boolean;
  readonly isRefused: boolean;
  readonly runsByDefault: number;
  readonly query: Readonly<Record<string, string>>;
}

type RunRequest = Schema<'RunRequest'>;

export function RunPanel(props: RunPanelProps) {
  const { id, document, data, isEdited, isRefused, query } = props;
  const { error, attempt } = useAttempt();
  const followed = useJob(query.job ?? null);
  const job = followed.value.job?.kind === 'run' ? followed.value.job : null;
  const isRunning = query.job !== undefined && job !== null && !isOver(job);
  const request = requestOf(props);
  const run = () =>
    attempt(async () => {
      if (isEdited && (await faultsOfServer(document)).length > 0) return;
      const made = await answerOf(api.POST('/v1/runs', { params: once(), body: request }));
      keepInAddress({ job: made.id, extremes: null });
    });
  return (
    <section class="run panel" aria-label="Run">
      <Settings {...props} />
      <div class="controls">
        <button type="button" class="primary" disabled={isRefused || isRunning} onClick={run}>
          {isEdited ? 'Run the edited model' : 'Run the model'}
        </button>
        {isRunning ? (
          <button type="button" onClick={() => void cancelJob(job.id)}>
            Cancel
          </button>
        ) : null}
        {isRefused ? <span>Correct the document first. The faults are shown below.</span> : null}
      </div>
      <ErrorNotice error={error.value ?? followed.value.error} />
      <RunState followed={followed.value} job={job} />
      {job?.result === undefined ? null : (
        <>
          {isOfOther(job, request) ? (
            <Notice kind="info">The document or its settings have changed since this run.</Notice>
          ) : null}
          <Result report={job.result} />
          <Extremes {...{ id, data, query }} report={job.result} />
        </>
      )}
      <Equivalent
        command={commandOf(id, request, isEdited)}
        request={{ method: 'POST', path: '/v1/runs', body: request }}
      />
    </section>
  );
}

function Settings({ query, runsByDefault, data }: RunPanelProps) {
  const own = isRecord(data) && data.runs !== undefined ? String(data.runs) : runsByDefault;
  const set = (name: string) => ({
    value: query[name] ?? '',
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
      keepInAddress({ [name]: currentTarget.value.trim() });
    },
  });
  return (
    <div class="controls">
      <label>
        Runs
        <input {...set('runs')} inputMode="numeric" size={10} placeholder={`${own}`} />
      </label>
      <label>
        Seed
        <input {...set('seed')} inputMode="numeric" size={16} placeholder="chosen by the server" />
      </label>
    </div>
  );
}

function RunState({ followed, job }: { followed: FollowedJob; job: RunJob | null }) {
  if (job === null) return null;
  const { status, problem } = job;
  if (status === 'failed' || status === 'interrupted') {
    return <Notice kind="error">{problem?.detail ?? `The run is ${status}.`}</Notice>;
  }
  if (status === 'cancelled') return <Notice kind="info">The run was cancelled.</Notice>;
  if (isOver(job)) return null;
  const { done, total } = countOf(followed.progress) ?? job.progress;
  const note =
    status === 'queued'
      ? 'waits for its turn'
      : `${count(done)} of ${total === null ? '?' : count(total)} runs`;
  return <Progress label="Runs" {...{ done, total, note }} />;
}

/** The events of a run count its runs. */
function countOf(progress: FollowedJob['progress']): RunJob['progress'] | null {
  if (progress == null || !('done' in progress) || !('total' in progress)) return null;
  // Only jobs that count have both.
  return progress as RunJob['progress'];
}

function requestOf({ document, query: { runs, seed } }: RunPanelProps): RunRequest {
  const threatModel = isRecord(document) ? { ...document } : String(document);
  return {
    threatModel,
    ...(runs === undefined ? {} : { runs: Number(runs) }),
    ...(seed === undefined ? {} : { seed }),
  };
}

/** Whether a job ran something else than the request would. */
function isOfOther({ request }: RunJob, now: RunRequest): boolean {
  const isSameModel = JSON.stringify(request.threatModel) === JSON.stringify(now.threatModel);
  const isSameSeed = now.seed === undefined || now.seed === request.seed;
  return !isSameModel || !isSameSeed || (now.runs !== undefined && now.runs !== request.runs);
}

function commandOf(id: string, { runs, seed }: RunRequest, isEdited: boolean): readonly string[] {
  return [
    ...['run', isEdited ? `${id}.yaml` : id],
    ...(runs === undefined ? [] : ['--runs', String(runs)]),
    ...(seed === undefined ? [] : ['--seed', String(seed)]),
  ];
}
