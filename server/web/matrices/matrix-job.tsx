/**
 * @module
 * The job of a matrix: its progress row by row, and its result as a table. The chosen cell is in the address.
 */

import { answerOf, api } from '../api/client.ts';
import type { Job } from '../api/contract.ts';
import { isOver, useJob } from '../api/jobs.ts';
import { queryOf } from '../operations/draft.ts';
import { NoJob, Running } from '../operations/job-frame.tsx';
import { Downloads, readResult } from '../parts/download.tsx';
import { Equivalent } from '../parts/equivalent.tsx';
import { Notice } from '../parts/notice.tsx';
import type { ObjectProps } from '../shell/router.ts';
import { hrefOf, keepInAddress } from '../shell/router.ts';
import { useAnswer } from '../shell/use-answer.ts';
import { CellPanel } from './cell-panel.tsx';
import type { CellMark, MarkedRow, MatrixJob, MatrixResult } from './cells.ts';
import { hasAttacks, markedRows } from './cells.ts';

function isMatrix(job: Job): job is MatrixJob {
  return job.kind === 'attack-matrix' || job.kind === 'fault-matrix';
}

export function MatrixJobView({ id, query }: ObjectProps) {
  const { job, progress, error } = useJob(id).value;
  const isOther = job !== null && !isMatrix(job);
  const failure = error ?? (isOther ? new Error('This job is not a matrix.') : null);
  if (job === null || isOther || failure !== null) return <NoJob title="Matrix" error={failure} />;
  const { request, result, problem } = job;
  const isFault = job.kind === 'fault-matrix';
  // Every operation has this form of progress.
  const now = (progress as MatrixJob['progress'] | null) ?? job.progress;
  return (
    <>
      <h1>{isFault ? 'Fault matrix' : 'Attack matrix'}</h1>
      {isOver(job) ? null : <Running job={job} {...progressOf(now)} />}
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

function progressOf({ done, total, now }: MatrixJob['progress']) {
  const note = total === null ? now : `${done} of ${total} rows, now ${now}`;
  return { label: 'Rows of the matrix', done, total, note };
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

/** The attacks are the first terms of the glossary, which is in the order of the names. */
const TERMS = '100';

/** The name of each column by its code. Empty until the glossary is read. */
function useColumnNames(result: MatrixResult): ReadonlyMap<string, string> {
  const { value } = useAnswer(async () => columnNames(result, await termsOf(result)));
  return value ?? new Map();
}

interface Term {
  readonly term: string;
  readonly meaning: string;
}

async function termsOf(result: MatrixResult): Promise<readonly Term[]> {
  if (!hasAttacks(result)) return [];
  const query = { pageSize: TERMS };
  return (await answerOf(api.GET('/v1/glossary', { params: { query } }))).items;
}

/** The names by code. A column can be two attacks, such as A8/9. */
export function columnNames(
  result: MatrixResult,
  terms: readonly Term[],
): ReadonlyMap<string, string> {
  if (!hasAttacks(result)) {
    return new Map(
      result.rows.flatMap(({ cells }) => cells.map(({ fault, drawn }) => [fault, drawn] as const)),
    );
  }
  const names = new Map(
    terms.map(({ term, meaning }) => [term, meaning.slice(0, Math.max(0, meaning.indexOf(':')))]),
  );
  return new Map(
    result.attacks.map((attack) => {
      const [first = '', second] = attack.split('/');
      const found = [first, ...(second === undefined ? [] : [`A${second}`])];
      return [attack, found.flatMap((code) => names.get(code) ?? []).join(' or ')] as const;
    }),
  );
}

type Line = readonly [sign: string, tone: CellMark['tone'], meaning: string];

const ATTACKS: readonly Line[] = [
  ['○', 'harm', 'The attack works even at level L3.'],
  ['●', 'some', 'The attack works only at lower levels.'],
  ['·', 'none', 'The attack has no effect.'],
  ['?', 'unknown', 'The election fails without the attack too.'],
];

const FAULTS: readonly Line[] = [
  ['·', 'none', 'The election is over in time, with one leader.'],
  ['●', 'some', 'The runs show what the protocol states.'],
  ['✗', 'harm', 'The runs show something else.'],
  ['?', 'unknown', 'The runs do not show all that the protocol states.'],
];

/** What the codes in the cells of a fault matrix mean. */
const EFFECTS = [
  ['ok', 'no effect'],
  ['S1', 'two leaders of one epoch, or at one time'],
  ['S2', 'live nodes follow different leaders in the end'],
  ['S3', 'the leader is not the highest live node'],
  ['M', 'two nodes hold leases at one moment'],
  ['L', 'a live node follows no live node'],
  ['leaderless', 'no live node has a live leader'],
  ['no rest', 'the election goes on without end'],
] as const;

function Legend({ isAttack }: { readonly isAttack: boolean }) {
  return (
    <div class="matrix-legend">
      <ul>
        {(isAttack ? ATTACKS : FAULTS).map(([sign, tone, meaning]) => (
          <li key={sign}>
            <span class={`sign ${tone}`} aria-hidden="true">
              {sign}
            </span>{' '}
            {meaning}
          </li>
        ))}
        <li>
          <span class="sign" aria-hidden="true" /> An empty cell: the{' '}
          {isAttack ? 'attack' : 'fault'} does not apply.
        </li>
      </ul>
      {isAttack ? null : <Effects />}
    </div>
  );
}

function Effects() {
  return (
    <dl>
      {EFFECTS.map(([code, meaning]) => (
        <div key={code}>
          <dt>{code}</dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
