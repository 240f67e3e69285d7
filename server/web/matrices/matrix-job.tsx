/**
 * @module
 * The job of a matrix: its progress row by row, and its result as a table. The chosen cell is in the address.
 */

import type { Job } from '../api/contract.ts';
import { cancelJob, isOver, useJob } from '../api/jobs.ts';
import { queryOf } from '../operations/draft.ts';
import { Downloads, readResult } from '../parts/download.tsx';
import { Equivalent } from '../parts/equivalent.tsx';
import { ErrorNotice, Notice } from '../parts/notice.tsx';
import { Progress } from '../parts/progress.tsx';
import type { ObjectProps } from '../shell/router.ts';
import { hrefOf, keepInAddress } from '../shell/router.ts';
import { asksForSignIn } from '../shell/sign-in.tsx';
import { CellPanel } from './cell-panel.tsx';
import type { MarkedRow, MatrixJob, MatrixResult } from './cells.ts';
import { hasAttacks, markedRows } from './cells.ts';
import { useColumnNames } from './column-names.ts';
import { Legend } from './legend.tsx';

function isMatrix(job: Job): job is MatrixJob {
  return job.kind === 'attack-matrix' || job.kind === 'fault-matrix';
}

export function MatrixJobView({ id, query }: ObjectProps) {
  const { job, progress, error } = useJob(id).value;
  if (error !== null && !asksForSignIn(error)) return <Failed error={error} />;
  if (job === null) return <p class="loading">Loading…</p>;
  if (!isMatrix(job)) return <Failed error={new Error('This job is no matrix.')} />;
  const { request, result, problem } = job;
  const isFault = job.kind === 'fault-matrix';
  // Every operation has this form of progress.
  const now = (progress as MatrixJob['progress'] | null) ?? job.progress;
  return (
    <>
      <h1>{isFault ? 'Fault matrix' : 'Attack matrix'}</h1>
      {isOver(job) ? null : <Running job={job} progress={now} />}
      {problem === undefined ? null : <Notice kind="error">{problem.detail}</Notice>}
      {result === undefined ? null : <ResultView job={job} result={result} query={query} />}
      <p>
        <a
          href={hrefOf(['matrices'], { ...queryOf(request), ...(isFault && { matrix: 'fault' }) })}
        >
          Change this matrix
        </a>
      </p>
      <Equivalent
        command={result?.replay ?? null}
        request={{ method: 'GET', path: job.links.rows, accept: 'text/csv' }}
      />
    </>
  );
}

function Failed({ error }: { readonly error: unknown }) {
  return (
    <>
      <h1>Matrix</h1>
      <ErrorNotice error={error} />
    </>
  );
}

interface RunningProps {
  readonly job: MatrixJob;
  readonly progress: MatrixJob['progress'];
}

function Running({ job: { id, status }, progress: { done, total, now } }: RunningProps) {
  const note = total === null ? now : `${done} of ${total} rows, now ${now}`;
  return (
    <div class="controls">
      <Progress label="Rows of the matrix" done={done} total={total} note={note} />
      <button
        type="button"
        disabled={status === 'cancelling'}
        onClick={() => void cancelJob(id).catch(asksForSignIn)}
      >
        Cancel
      </button>
    </div>
  );
}

interface ResultProps {
  readonly job: MatrixJob;
  readonly result: MatrixResult;
  readonly query: Readonly<Record<string, string>>;
}

function ResultView({ job, result, query }: ResultProps) {
  const { columns, rows } = markedRows(result);
  const names = useColumnNames(result);
  const [protocol = '', column = ''] = (query.cell ?? '').split(' ');
  const isChosen = rows.some((row) => row.protocol === protocol && row.marks.has(column));
  return (
    <>
      {result.complete ? null : (
        <Notice kind="warning">
          The matrix was stopped. It has the {rows.length} rows that were finished.
        </Notice>
      )}
      <p>Each cell is decided by runs. Choose a cell to see its runs and to open them.</p>
      <Legend isAttack={hasAttacks(result)} />
      <div class={isChosen ? 'matrix-sides open' : 'matrix-sides'}>
        <Table {...{ columns, names, rows }} chosen={isChosen ? { protocol, column } : null} />
        {isChosen ? <CellPanel key={query.cell} {...{ job, result, protocol, column }} /> : null}
      </div>
      <div class="controls">
        <Downloads files={[fileOf(job)]} />
      </div>
    </>
  );
}

function fileOf({ id, links }: MatrixJob) {
  return {
    label: 'Download the runs of all cells (CSV)',
    name: `${id}-rows.csv`,
    read: async () => (await readResult(links.rows, 'text/csv')).blob(),
  };
}

interface TableProps {
  readonly columns: readonly string[];
  readonly names: ReadonlyMap<string, string>;
  readonly rows: readonly MarkedRow[];
  readonly chosen: { readonly protocol: string; readonly column: string } | null;
}

function Table({ columns, names, rows, chosen }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="matrix" aria-label="Matrix" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Protocol</th>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column} <span class="column-name">{names.get(column)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.protocol}>
              <th scope="row">{row.protocol}</th>
              {columns.map((column) => (
                <Cell
                  key={column}
                  {...{ row, column }}
                  isChosen={chosen?.protocol === row.protocol && chosen.column === column}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface CellProps {
  readonly row: MarkedRow;
  readonly column: string;
  readonly isChosen: boolean;
}

function Cell({ row: { protocol, marks }, column, isChosen }: CellProps) {
  const mark = marks.get(column);
  if (mark === undefined) return <td />;
  return (
    <td>
      <button
        type="button"
        class={`cell ${mark.tone}`}
        aria-pressed={isChosen}
        aria-label={`${column} on ${protocol}: ${mark.word}`}
        onClick={() => keepInAddress({ cell: isChosen ? null : `${protocol} ${column}` })}
      >
        <span aria-hidden="true">{mark.sign}</span> <span class="word">{mark.word}</span>
      </button>
    </td>
  );
}
