/**
 * @module
 * The job of a check: its progress, its result in plain words, and the counterexample.
 */

import { useSignal } from '@preact/signals';

import type { Job, Schema } from '../api/contract.ts';
import { cancelJob, isOver, useJob } from '../api/jobs.ts';
import { Equivalent } from '../parts/equivalent.tsx';
import { ErrorNotice, Notice } from '../parts/notice.tsx';
import { count, counted } from '../parts/numbers.ts';
import { Progress } from '../parts/progress.tsx';
import { TableHead } from '../parts/table-head.tsx';
import type { VerdictValue } from '../parts/verdict.tsx';
import { Verdict } from '../parts/verdict.tsx';
import type { ObjectProps } from '../shell/router.ts';
import { hrefOf } from '../shell/router.ts';
import { asksForSignIn } from '../shell/sign-in.tsx';
import { CounterexampleView } from './counterexample.tsx';
import { commandOf, DEFAULTS, queryOf } from './request.ts';

type CheckJob = Schema<'CheckJob'>;
type Result = NonNullable<CheckJob['result']>;

export function CheckJobView({ id, query }: ObjectProps) {
  const { job, progress, error } = useJob(id).value;
  if (error !== null && !asksForSignIn(error)) return <Failed error={error} />;
  if (job === null) return <p class="loading">Loading…</p>;
  if (job.kind !== 'check') return <Failed error={new Error('This job is no check.')} />;
  const { request, result } = job;
  const command = commandOf({
    maxStates: Number(DEFAULTS.maxStates),
    nodes: request.ring?.length ?? 3,
    ...request,
  });
  return (
    <>
      <h1>Check of {request.protocol}</h1>
      {isOver(job) ? null : <Running job={job} progress={progress} />}
      {job.problem === undefined ? null : <Notice kind="error">{job.problem.detail}</Notice>}
      {result === undefined ? null : <ResultView job={job} result={result} query={query} />}
      <p>
        <a href={hrefOf(['checks', 'walk'], queryOf(request))}>Walk through its worlds by hand</a>
        {' · '}
        <a href={hrefOf(['checks'], queryOf(request))}>Change this check</a>
      </p>
      <Equivalent command={command} request={{ method: 'GET', path: job.links.self }} />
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
  // The progress of a check, as its kind says.
  const counts = progress as Schema<'CheckCounts'> | null;
  const note =
    counts === null
      ? 'It begins when the jobs before it have had their turn.'
      : `${counted(counts.states, 'world')}, depth ${counts.depth}, ${count(counts.queue)} not explored yet`;
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

/** What each result means. A capped search proves nothing, and its sentence says so. */
const MEANINGS: Readonly<Record<Result['result'], readonly [VerdictValue, string, string]>> = {
  exhausted: [
    'true',
    'exhausted',
    'Every world within the bounds was visited, and none violates a property.',
  ],
  capped: [
    'unknown',
    'capped',
    'The search stopped at its limit. No violation was found so far, and there may be one in the worlds that were not visited.',
  ],
  violated: ['false', 'violated', ''],
  reachable: ['false', 'reachable', ''],
};

interface ResultProps extends Pick<ObjectProps, 'query'> {
  readonly job: CheckJob;
  readonly result: Result;
}

function ResultView({ job, result, query }: ResultProps) {
  const [value, word, meaning] = MEANINGS[result.result];
  const isCounterexample = result.result === 'violated' || result.result === 'reachable';
  const { states, transitions, depth } = result.counts;
  return (
    <>
      <p class="result">
        <Verdict value={value} word={word}>
          {isCounterexample ? `${result.property}: ${result.breach}.` : meaning}
        </Verdict>
      </p>
      <p>
        {counted(states, 'world')}, {counted(transitions, 'transition')}, depth {depth}.
      </p>
      {isCounterexample ? <CounterexampleView job={job} result={result} step={query.step} /> : null}
      <h2>All properties</h2>
      <PropertyTable result={result} />
    </>
  );
}

function PropertyTable({ result }: { readonly result: Result }) {
  return (
    <div class="scrolling">
      <table>
        <TableHead columns={['Property', 'Kind', 'Result']} />
        <tbody>
          {result.properties.map(({ name, kind, value }) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{kind}</td>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
