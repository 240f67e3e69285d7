/**
 * @module
 * The job of a matrix: its progress row by row, and its result as a table. The chosen cell is in the address.
 */

import type { Schema } from '../api/contract.ts';
import { cancelJob, isOver, useJob } from '../api/jobs.ts';
import { Downloads, readResult } from '../parts/download.tsx';
import { Equivalent } from '../parts/equivalent.tsx';
import { ErrorNotice, Notice } from '../parts/notice.tsx';
import { Progress } from '../parts/progress.tsx';
import type { ObjectProps } from '../shell/router.ts';
import { hrefOf, keepInAddress } from '../shell/router.ts';
import { asksForSignIn } from '../shell/sign-in.tsx';
import { CellPanel } from './cell-panel.tsx';
import type { MarkedRow, MatrixResult } from './cells.ts';
import { markedRows } from './cells.ts';
import { useColumnNames } from './column-names.ts';
import { Legend } from './legend.tsx';
import { commandOf, queryOf } from './request.ts';

type MatrixJob = Schema<'MatrixJob'>;

export function MatrixJobView({ id, query }: ObjectProps) {
  const { job, progress, error } = useJob(id).value;
  if (error !== null && !asksForSignIn(error)) return <Failed error={error} />;
  if (job === null) return <p class="loading">Loading…</p>;
  if (job.kind !== 'matrix') return <Failed error={new Error('This job is no matrix.')} />;
  const { request, result, problem } = job;
  // The progress of a matrix, as its kind says.
  const now = (progress as Schema<'MatrixProgress'> | null) ?? job.progress;
  return (
    <>
      <h1>{request.matrix === 'fault' ? 'Fault matrix' : 'Attack matrix'}</h1>
      {isOver(job) ? null : <Running job={job} progress={now} />}
      {problem === undefined ? null : <Notice kind="error">{problem.detail}</Notice>}
      {result === undefined ? null : <ResultView job={job} result={result} query={query} />}
      <p>
        <a href={hrefOf(['matrices'], queryOf(request))}>Change this matrix</a>
      </p>
      <Equivalent
        command={commandOf(request)}
        request={{ method: 'GET', path: job.links.cells, accept: 'text/csv' }}
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
  readonly progress: Schema<'MatrixProgress'>;
}

function Running({ job: { id, status }, progress: { done, total, now } }: RunningProps) {
  const note = `${done} of ${total} rows${now === null ? '' : `, now ${now}`}`;
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
      <Legend matrix={result.matrix} />
      <div class={isChosen ? 'matrix-sides open' : 'matrix-sides'}>
        <Table {...{ columns, names, rows }} chosen={isChosen ? { protocol, column } : null} />
        {isChosen ? <CellPanel key={query.cell} {...{ job, result, protocol, column }} /> : null}
      </div>
      <div class="controls">
        <Downloads files={[file(job, 'cells'), file(job, 'runs')]} />
      </div>
    </>
  );
}

function file({ id, links }: MatrixJob, name: 'cells' | 'runs') {
  return {
    label: `Download the ${name} (CSV)`,
    name: `${id}-${name}.csv`,
    read: async () => (await readResult(links[name], 'text/csv')).blob(),
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
