/**
 * @module
 * The caller's sweeps, the newest first. The list follows those that are not over.
 */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { answerOf, api } from '../api/client.ts';
import { isOver } from '../api/jobs.ts';
import { ErrorNotice } from '../parts/notice.tsx';
import { count, counted, dayAndTime } from '../parts/numbers.ts';
import { TableHead } from '../parts/table-head.tsx';
import { hrefOf } from '../shell/router.ts';
import { asksForSignIn } from '../shell/sign-in.tsx';
import type { SweepJob } from './picture-input.ts';
import { progressOf } from './progress.ts';

/** While a sweep is not over, the list is read again after this time. */
const REFRESH_MS = 1_500;

export function SweepList() {
  const sweeps = useSignal<readonly SweepJob[] | null>(null);
  const error = useSignal<unknown>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isCurrent = true;
    const refresh = async () => {
      const read = await readSweeps();
      if (!isCurrent) return;
      sweeps.value = read;
      if (!read.every(isOver)) timer = setTimeout(() => void refresh().catch(fail), REFRESH_MS);
    };
    const fail = (failure: unknown) => {
      if (!asksForSignIn(failure)) error.value = failure;
    };
    refresh().catch(fail);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, []);
  return (
    <section aria-labelledby="your-sweeps">
      <h2 id="your-sweeps">Your sweeps</h2>
      <ErrorNotice error={error.value} />
      {sweeps.value === null ? null : <SweepTable sweeps={sweeps.value} />}
    </section>
  );
}

async function readSweeps(): Promise<readonly SweepJob[]> {
  const query = { pageSize: '100', kind: 'sweep' } as const;
  const { items } = await answerOf(api.GET('/v1/jobs', { params: { query } }));
  return items.filter((job) => job.kind === 'sweep');
}

function SweepTable({ sweeps }: { readonly sweeps: readonly SweepJob[] }) {
  if (sweeps.length === 0) return <p>There are no sweeps yet.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="scrolling" aria-label="Your sweeps, the newest first" tabIndex={0}>
      <table>
        <TableHead
          columns={['Sweep', 'Threat model', 'Axes', 'Cells', 'Created', 'Status', 'Progress']}
          numbers={['Cells']}
        />
        <tbody>
          {sweeps.map((job) => (
            <tr key={job.id}>
              <td>
                <a href={hrefOf(['sweeps', job.id])}>{job.id}</a>
              </td>
              <td>{modelName(job)}</td>
              <td>{axesText(job)}</td>
              <td class="number">{count(job.cells)}</td>
              <td>{dayAndTime(job.created)}</td>
              <td>{job.status}</td>
              <td>{isOver(job) ? resultText(job) : progressOf(job, job.progress).note}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function modelName({ request: { threatModel } }: SweepJob): string {
  return typeof threatModel === 'string' ? threatModel : `${threatModel.id} (edited)`;
}

/** The axes by the last members of their paths. */
function axesText({ grid }: SweepJob): string {
  if (grid.length === 0) return 'none';
  return grid.map(({ path, values }) => `${path.split('.').at(-1)} (${values})`).join(' × ');
}

function resultText({ result, problem }: SweepJob): string {
  if (problem !== undefined) return problem.title;
  if (result === undefined) return '';
  return `${counted(result.runs, 'run')}${result.complete ? '' : ', not complete'}`;
}
