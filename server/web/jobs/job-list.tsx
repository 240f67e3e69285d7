/**
 * @module
 * The caller's jobs of all kinds, the newest first, in pages. The list follows them, and cancels and removes them.
 */

import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { answerOf, api, ProblemError } from '../api/client.ts';
import type { Job } from '../api/contract.ts';
import { cancelJob, isOver } from '../api/jobs.ts';
import { readOperations } from '../operations/operations.tsx';
import { Equivalent } from '../parts/equivalent.tsx';
import { ChoiceField } from '../parts/fields.tsx';
import { ErrorNotice, Notice } from '../parts/notice.tsx';
import { count, counted, dayAndTime, decimal } from '../parts/numbers.ts';
import { Scrolling } from '../parts/scrolling.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { wordsOf } from '../parts/values.tsx';
import { hrefOf, keepInAddress } from '../shell/router.ts';
import { asksForSignIn } from '../shell/sign-in.tsx';
import { useAnswer } from '../shell/use-answer.ts';
import type { ViewProps } from '../shell/views.ts';
import { isRecord } from '../threat-models/form/form-schema.ts';
import { hrefOfJob, KINDS } from './job-address.ts';

/** While a job is not over, the list is read again after this time. */
const REFRESH_MS = 1_500;
/** Jobs of one page. The server has at most 100 on one. */
const PAGE_SIZE = 50;

const STATUSES = [
  ...(['queued', 'running', 'cancelling', 'done'] as const),
  ...(['failed', 'cancelled', 'interrupted'] as const),
];

/** What is listed. */
interface Choice {
  readonly kind: Job['kind'] | undefined;
  readonly status: Job['status'] | undefined;
  /** Where the page begins; undefined for the newest jobs. */
  readonly pageToken: string | undefined;
}

interface JobPageOfList {
  readonly items: readonly Job[];
  readonly nextPageToken: string | null;
}

export function JobList({ query }: Pick<ViewProps, 'query'>) {
  const choice = choiceOf(query);
  const { page, error, change } = useJobs(choice);
  const kinds = useKinds();
  return (
    <>
      <h1>Jobs</h1>
      <p>
        Long work is a job. It goes on when you leave this page, and its result stays until you
        remove it.
      </p>
      <Filters {...{ choice, kinds }} />
      <ErrorNotice error={error.value} />
      {page.value === null && error.value === null ? <p class="loading">Loading…</p> : null}
      {page.value === null ? null : (
        <JobTable page={page.value} {...{ choice, kinds }} onChange={change} />
      )}
      <Pages choice={choice} next={page.value?.nextPageToken ?? null} />
      <Equivalent command={null} request={{ method: 'GET', path: pathOf(choice) }} />
    </>
  );
}

/** The words for each kind. An operation of the user has its title. */
export function useKinds(): Readonly<Record<string, string>> {
  const { value } = useAnswer(readOperations);
  const titles = (value ?? []).map(({ name, title }) => [name, title] as const);
  return { ...KINDS, ...Object.fromEntries(titles), ...KINDS };
}

function choiceOf({ kind, status, from }: Readonly<Record<string, string>>): Choice {
  return {
    // The server checks it. The contract does not know the operations of the user.
    kind: (kind || undefined) as Job['kind'] | undefined,
    status: STATUSES.find((each) => each === status),
    pageToken: from,
  };
}

/** The jobs of a choice. They are read again while one is not over, and when the window is looked at again. */
function useJobs(choice: Choice) {
  const page = useSignal<JobPageOfList | null>(null);
  const error = useSignal<unknown>(null);
  const changes = useSignal(0);
  const key = pathOf(choice);
  useEffect(() => {
    page.value = null;
    error.value = null;
  }, [key]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isCurrent = true;
    const refresh = async () => {
      clearTimeout(timer);
      try {
        const read = await readJobs(choice);
        if (!isCurrent) return;
        page.value = read;
      } catch (failure) {
        if (isCurrent) report(error, failure);
      }
      if (page.value?.items.every(isOver) !== true) {
        timer = setTimeout(() => void refresh(), REFRESH_MS);
      }
    };
    const look = () => void refresh();
    void refresh();
    addEventListener('focus', look);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
      removeEventListener('focus', look);
    };
  }, [key, changes.value]);
  const change = async (action: Promise<unknown>) => {
    error.value = null;
    await action.catch((failure: unknown) => {
      // The job is over or gone already, as the list shows when it is read again.
      if (!isPast(failure)) report(error, failure);
    });
    changes.value += 1;
  };
  return { page, error, change };
}

function report(error: Signal<unknown>, failure: unknown): void {
  if (!asksForSignIn(failure)) error.value = failure;
}

async function readJobs({ kind, status, pageToken }: Choice): Promise<JobPageOfList> {
  const query = {
    pageSize: String(PAGE_SIZE),
    ...(kind !== undefined && { kind }),
    ...(status !== undefined && { status }),
    ...(pageToken !== undefined && { pageToken }),
  };
  return answerOf(api.GET('/v1/jobs', { params: { query } }));
}

function pathOf({ kind, status, pageToken }: Choice): string {
  const values = Object.entries({ kind, status, pageToken }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return `/v1/jobs?${new URLSearchParams([['pageSize', String(PAGE_SIZE)], ...values])}`;
}

function Filters({ choice: { kind, status }, kinds }: Pick<JobTableProps, 'choice' | 'kinds'>) {
  return (
    <div class="controls">
      <ChoiceField
        label="Kind"
        value={kind ?? ''}
        options={[['', 'all'], ...Object.entries(kinds)]}
        set={(value) => keepInAddress({ kind: value, from: null })}
      />
      <ChoiceField
        label="Status"
        value={status ?? ''}
        options={[['', 'all'], ...STATUSES]}
        set={(value) => keepInAddress({ status: value, from: null })}
      />
    </div>
  );
}

interface PagesProps {
  readonly choice: Choice;
  readonly next: string | null;
}

function Pages({ choice: { kind, status, pageToken }, next }: PagesProps) {
  if (pageToken === undefined && next === null) return null;
  return (
    <nav class="pages" aria-label="Pages of the list">
      {pageToken === undefined ? null : (
        <a href={hrefOf(['jobs'], { kind, status })}>The newest jobs</a>
      )}
      {next === null ? null : (
        <a href={hrefOf(['jobs'], { kind, status, from: next })}>Older jobs</a>
      )}
    </nav>
  );
}

interface JobTableProps {
  readonly page: JobPageOfList;
  readonly choice: Choice;
  readonly kinds: Readonly<Record<string, string>>;
  readonly onChange: (action: Promise<unknown>) => void;
}

function JobTable({
  page: { items },
  choice: { kind, status, pageToken },
  ...rest
}: JobTableProps) {
  if (items.length === 0) {
    const isAll = kind === undefined && status === undefined && pageToken === undefined;
    return (
      <Notice kind="info">
        {isAll
          ? 'There are no jobs. A race, a run of a threat model and a check are jobs, for example.'
          : 'There are no such jobs.'}
      </Notice>
    );
  }
  return (
    <Scrolling label="Your jobs, the newest first">
      <table class="jobs">
        <TableHead columns={['Job', 'Kind', 'Created', 'Status', 'Progress', 'Change']} />
        <tbody>
          {items.map((job) => (
            <JobRow key={job.id} {...{ job, ...rest }} />
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}

type RowProps = { readonly job: Job } & Pick<JobTableProps, 'kinds' | 'onChange'>;

function JobRow({ job, kinds, onChange }: RowProps) {
  const { id, kind, created, status, problem } = job;
  return (
    <tr>
      <td>
        <a class="mono" href={hrefOfJob(job)}>
          {id}
        </a>
      </td>
      <td>
        {kinds[kind] ?? kind} {subjectOf(job)}
      </td>
      <td class="created">
        <time dateTime={created}>{dayAndTime(created)}</time>
      </td>
      <td>{status}</td>
      <td class="job-progress">{problem?.detail ?? progressText(job.progress)}</td>
      <td>
        <JobButton {...{ job, onChange }} />
      </td>
    </tr>
  );
}

/** The id of the threat model, or the name of the protocol, that a job is about. */
function subjectOf({ request }: Job): string {
  const { threatModel, protocol }: Readonly<Record<string, unknown>> = { ...request };
  const named = isRecord(threatModel) ? threatModel['id'] : threatModel;
  return String(named ?? protocol ?? '');
}

interface JobButtonProps {
  readonly job: Job;
  readonly onChange: (action: Promise<unknown>) => void;
}

/** Cancels a job that is not over, and removes one that is. */
export function JobButton({ job, onChange }: JobButtonProps) {
  const { id, status } = job;
  const params = { params: { path: { id } } };
  return isOver(job) ? (
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
  );
}

/** Whether a change was refused because the job is over or gone already. */
export function isPast(failure: unknown): boolean {
  return (
    failure instanceof ProblemError && ['not_found', 'job.finished'].includes(failure.problem.code)
  );
}

/** Counts that are shown at most. */
const COUNTS_MAX = 3;

/** For example "12 of 50" or "states 1 234, depth 7". Each kind has counts of its own. */
export function progressText(progress: object | null | undefined): string {
  if (progress === null || progress === undefined) return '';
  const values: Readonly<Record<string, unknown>> = { ...progress };
  const { done, total, runs, runsTotal } = values;
  if (typeof done === 'number' && typeof total === 'number') {
    return `${count(done)} of ${count(total)}`;
  }
  if (typeof runs === 'number' && typeof runsTotal === 'number') {
    return `${count(runs)} of ${counted(runsTotal, 'run')}`;
  }
  return Object.entries(values)
    .flatMap(([name, value]) => {
      if (typeof value === 'string') return [`${wordsOf(name)} ${value}`];
      return typeof value === 'number' ? [`${wordsOf(name)} ${decimal(value)}`] : [];
    })
    .slice(0, COUNTS_MAX)
    .join(', ');
}
