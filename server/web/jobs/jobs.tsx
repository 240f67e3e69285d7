/**
 * @module
 * This folder contains the view of the caller's jobs: the list of all kinds, and one job with its result. A job of a kind
 * that has a view of its own is shown there.
 */

import { capitalized } from '../../../src/printable.ts';
import './jobs.css';

import { useSignal } from '@preact/signals';

import type { Job } from '../api/contract.ts';
import type { FollowedJob } from '../api/jobs.ts';
import { isOver, useJob } from '../api/jobs.ts';
import { Downloads, readResult } from '../parts/download.tsx';
import { Equivalent } from '../parts/equivalent.tsx';
import { ErrorNotice, Notice } from '../parts/notice.tsx';
import { Progress } from '../parts/progress.tsx';
import { Values } from '../parts/values.tsx';
import { go, hrefOf } from '../shell/router.ts';
import { asksForSignIn } from '../shell/sign-in.tsx';
import type { ViewProps } from '../shell/views.ts';
import { ownHrefOf } from './job-address.ts';
import { isPast, JobButton, JobList, progressText, useKinds } from './job-list.tsx';

export function View({ segments: [id], query }: ViewProps) {
  return id === undefined ? <JobList query={query} /> : <JobPage key={id} id={id} />;
}

/** One job of any kind: its state, what was asked, and its result as it is in the API. */
function JobPage({ id }: { readonly id: string }) {
  const { job, progress, error } = useJob(id).value;
  const failure = useSignal<unknown>(null);
  const kinds = useKinds();
  const change = async (action: Promise<unknown>) => {
    try {
      await action;
      if (job !== null && isOver(job)) go(['jobs']);
    } catch (refusal) {
      if (isPast(refusal)) go(['jobs']);
      else if (!asksForSignIn(refusal)) failure.value = refusal;
    }
  };
  const shown = asksForSignIn(error) ? null : error;
  return (
    <div class="job-page">
      <p>
        <a href={hrefOf(['jobs'])}>All jobs</a>
      </p>
      <h1>{job === null ? 'Job' : capitalized(kinds[job.kind] ?? job.kind)}</h1>
      <ErrorNotice error={shown ?? failure.value} />
      {job === null && shown === null ? <p class="loading">Loading…</p> : null}
      {job === null ? null : (
        <>
          <p class="facts">
            <code>{job.id}</code> {job.status}
          </p>
          <State job={job} progress={progress} />
          <div class="controls">
            <JobButton job={job} onChange={(action) => void change(action)} />
            <Results job={job} />
          </div>
          <Contents job={job} />
          <Equivalent command={replayOf(job)} request={{ method: 'GET', path: job.links.self }} />
        </>
      )}
    </div>
  );
}

interface StateProps {
  readonly job: Job;
  readonly progress: FollowedJob['progress'];
}

function State({ job, progress }: StateProps) {
  const own = ownHrefOf(job);
  return (
    <>
      {isOver(job) ? null : (
        <Progress
          label="Progress"
          done={0}
          total={null}
          note={progressText(progress ?? job.progress) || job.status}
        />
      )}
      {job.problem === undefined ? null : <Notice kind="error">{job.problem.detail}</Notice>}
      {own === null ? null : (
        <p>
          <a href={own}>Open it in its view</a>
        </p>
      )}
    </>
  );
}

/** Files of a result, with the words for them. */
const FILES = { rows: 'rows', cells: 'cells', comparison: 'table' } as const;

function Results({ job }: { readonly job: Job }) {
  if (!isOver(job) || !('result' in job)) return null;
  const links: Readonly<Record<string, unknown>> = job.links;
  const files = Object.entries(FILES).flatMap(([name, words]) => {
    const path = links[name];
    if (typeof path !== 'string') return [];
    return [
      {
        label: `Download the ${words} (CSV)`,
        name: `${job.id}-${name}.csv`,
        read: async () => (await readResult(path, 'text/csv')).blob(),
      },
    ];
  });
  return <Downloads files={files} />;
}

function Contents({ job }: { readonly job: Job }) {
  const result = 'result' in job ? job.result : undefined;
  return (
    <>
      {result === undefined || result === null ? null : (
        <section>
          <h2>Result</h2>
          {'sentence' in result ? <p class="sentence">{result.sentence}</p> : null}
          <Values data={rest(result)} />
        </section>
      )}
      <section>
        <h2>Request</h2>
        <Values data={job.request} />
      </section>
    </>
  );
}

/** The members that are not shown elsewhere on the page. */
function rest(result: object): object {
  return Object.fromEntries(Object.entries(result).filter(([name]) => !SHOWN.has(name)));
}

const SHOWN: ReadonlySet<string> = new Set(['sentence', 'replay']);

/** The command that does the same, as the server prints it. */
function replayOf(job: Job): string | null {
  if ('replay' in job && typeof job.replay === 'string') return job.replay;
  const result: unknown = 'result' in job ? job.result : null;
  const isNamed = typeof result === 'object' && result !== null && 'replay' in result;
  return isNamed && typeof result.replay === 'string' ? result.replay : null;
}
