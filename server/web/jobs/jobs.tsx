/**
 * @module
 * This folder contains the view of the caller's jobs of every kind: what each does, and how to stop or remove it.
 */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { answerOf, api } from '../api/client.ts';
import type { Job } from '../api/contract.ts';
import { cancelJob, isOver } from '../api/jobs.ts';
import { Equivalent } from '../parts/equivalent.tsx';
import { ErrorNotice, Notice } from '../parts/notice.tsx';
import { decimal } from '../parts/numbers.ts';
import { TableHead } from '../parts/table-head.tsx';
import { hrefOf, keepInAddress } from '../shell/router.ts';
import { asksForSignIn } from '../shell/sign-in.tsx';
import type { ViewProps } from '../shell/views.ts';

/** While a job is not over, the list is read again after this time. */
const REFRESH_MS = 1_500;

const STATUSES = [
  'queued',
  'running',
  'cancelling',
  'done',
  'failed',
  'cancelled',
  'interrupted',
] as const;
type Status = (typeof STATUSES)[number];

export function View({ query }: ViewProps) {
  const jobs = useSignal<readonly Job[] | null>(null);
  const error = useSignal<unknown>(null);
  const changes = useSignal(0);
  const status = STATUSES.find((each) => each === query.status);
  const fail = (failure: unknown) => {
    if (!asksForSignIn(failure)) error.value = failure;
  };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isCurrent = true;
    const refresh = async () => {
      const items = await readJobs(status);
      if (!isCurrent) return;
      jobs.value = items;
      if (!items.every(isOver)) timer = setTimeout(() => void refresh().catch(fail), REFRESH_MS);
    };
    refresh().catch(fail);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [status, changes.value]);
  const change = async (action: Promise<unknown>) => {
    await action.catch(fail);
    changes.value += 1;
  };
  const search = status === undefined ? '' : `?status=${status}`;
  return (
    <>
      <h1>Jobs</h1>
      <p>
        Long work is a job. It goes on when you leave this page, and its result stays until you
        remove it.
      </p>
      <StatusChoice status={status} />
      <ErrorNotice error={error.value} />
      {jobs.value === null ? (
        <p class="loading">Loading…</p>
      ) : (
        <JobTable jobs={jobs.value} onChange={change} />
      )}
      <Equivalent command={null} request={{ method: 'GET', path: `/v1/jobs${search}` }} />
    </>
  );
}

async function readJobs(status: Status | undefined): Promise<readonly Job[]> {
  const query = { pageSize: '100', ...(status !== undefined && { status }) };
  const { items } = await answerOf(api.GET('/v1/jobs', { params: { query } }));
  return items;
}

function StatusChoice({ status }: { readonly status: Status | undefined }) {
  return (
    <div class="controls">
      <label>
        Status
        <select
          value={status ?? ''}
          onChange={(event) => keepInAddress({ status: event.currentTarget.value })}
        >
          <option value="">all</option>
          {STATUSES.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
    </div>
  );
}

interface JobTableProps {
  readonly jobs: readonly Job[];
  readonly onChange: (action: Promise<unknown>) => void;
}

function JobTable({ jobs, onChange }: JobTableProps) {
  if (jobs.length === 0) return <Notice kind="info">There are no jobs.</Notice>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="scrolling" aria-label="Your jobs, the newest first" tabIndex={0}>
      <table>
        <TableHead columns={['Job', 'Kind', 'Created', 'Status', 'Progress', 'Change']} />
        <tbody>
          {jobs.map((job) => (
            <JobRow key={job.id} job={job} onChange={onChange} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function JobRow({ job, onChange }: { readonly job: Job } & Pick<JobTableProps, 'onChange'>) {
  const { id, kind, created, status } = job;
  const view = viewOf(job);
  const params = { params: { path: { id } } };
  return (
    <tr>
      <td>{view === null ? <a href={job.links.self}>{id}</a> : <a href={view}>{id}</a>}</td>
      <td>{kind}</td>
      <td>{new Date(created).toLocaleTimeString()}</td>
      <td>{status}</td>
      <td>{progressText(job)}</td>
      <td>
        {isOver(job) ? (
          <button
            type="button"
            aria-label={`Remove ${id}`}
            onClick={() => onChange(answerOf(api.DELETE('/v1/jobs/{id}', params)))}
          >
            Remove
          </button>
        ) : (
          <button
            type="button"
            aria-label={`Cancel ${id}`}
            disabled={status === 'cancelling'}
            onClick={() => onChange(cancelJob(id))}
          >
            Cancel
          </button>
        )}
      </td>
    </tr>
  );
}

/** The address of the view that shows a job; null if none does. */
function viewOf(job: Job): string | null {
  if (job.kind === 'check') return hrefOf(['checks', job.id]);
  return null;
}

/** Counts of the progress in few words; each kind has its own. */
function progressText({ progress, problem }: Job): string {
  if (problem !== undefined) return problem.detail;
  if (progress === null || progress === undefined) return '';
  return Object.entries(progress)
    .filter(([, value]) => typeof value === 'number' || typeof value === 'string')
    .slice(0, 3)
    .map(([name, value]) => `${words(name)} ${typeof value === 'number' ? decimal(value) : value}`)
    .join(', ');
}

function words(name: string): string {
  return name.replace(/([A-Z])/g, ' $1').toLowerCase();
}
