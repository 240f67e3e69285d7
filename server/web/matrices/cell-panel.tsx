/**
 * @module
 * A cell of a matrix: what it says, and the runs that it rests on. Each run opens as an election.
 */

import { answerOf, api } from '../api/client.ts';
import { readResult } from '../parts/download.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { count } from '../parts/numbers.ts';
import { TableHead } from '../parts/table-head.tsx';
import { go, keepInAddress } from '../shell/router.ts';
import { useAnswer } from '../shell/use-answer.ts';
import { useAttempt } from '../shell/use-attempt.ts';
import { openSaved } from '../threat-models/run/run-elections.ts';
import type { AttackCell, FaultCell, MatrixJob, MatrixResult, MatrixRun } from './cells.ts';
import { hasAttacks, LETTERS, runsOfCell } from './cells.ts';

interface CellPanelProps {
  readonly job: MatrixJob;
  readonly result: MatrixResult;
  readonly protocol: string;
  readonly column: string;
}

export function CellPanel({ job, result, protocol, column }: CellPanelProps) {
  return (
    <section class="panel cell-panel" aria-label="The chosen cell">
      <div class="panel-head">
        <h2>
          {column} on {protocol}
        </h2>
        <button type="button" onClick={() => keepInAddress({ cell: null })}>
          Close
        </button>
      </div>
      <Facts {...{ result, protocol, column }} />
      <Runs path={job.links.rows} {...{ protocol, column }} />
    </section>
  );
}

function Facts({ result, protocol, column }: Omit<CellPanelProps, 'job'>) {
  if (hasAttacks(result)) {
    const row = result.rows.find((each) => each.protocol === protocol);
    const cell = row?.cells.find(({ attack }) => attack === column);
    return cell === undefined ? null : <AttackFacts cell={cell} />;
  }
  const row = result.rows.find((each) => each.protocol === protocol);
  const cell = row?.cells.find(({ fault }) => fault === column);
  return cell === undefined ? null : <FaultFacts cell={cell} />;
}

function AttackFacts({ cell: { attack, smallestSet, remains } }: { readonly cell: AttackCell }) {
  // The runs are shown even if the meaning cannot be read.
  const { value: meanings } = useAnswer(() => meaningsOf(attack), attack);
  return (
    <>
      {meanings?.map((meaning) => (
        <p key={meaning}>{meaning}</p>
      ))}
      {smallestSet === undefined ? null : (
        <p>
          {smallestSet === null
            ? `No set of defences that was tried stops it. ${remains ?? ''}`
            : `The smallest set of defences that stops it: ${smallestSet.join(' + ')}.`}
        </p>
      )}
    </>
  );
}

/** What the glossary says of an attack. A column can be two attacks, such as A8/9. */
function meaningsOf(attack: string): Promise<readonly string[]> {
  const [first = '', second] = attack.toLowerCase().split('/');
  const names = second === undefined ? [first] : [first, `a${second}`];
  return Promise.all(
    names.map(async (name) => {
      const entry = await answerOf(api.GET('/v1/glossary/{name}', { params: { path: { name } } }));
      return entry.meaning;
    }),
  );
}

function FaultFacts({ cell }: { readonly cell: FaultCell }) {
  const { drawn, stated, why, runs, seen } = cell;
  return (
    <>
      <p>
        The fault: {drawn}. The protocol states {stated}. {why}
      </p>
      <p>{seen.length === 0 ? `None of ${count(runs)} runs shows an effect.` : null}</p>
      <ul>
        {seen.map((effect) => (
          <li key={effect.effect}>
            {effect.effect} in {count(effect.runs)} of {count(runs)} runs, for example:{' '}
            {effect.detail}.
          </li>
        ))}
      </ul>
    </>
  );
}

interface RunsProps {
  /** The table of all runs of the matrix. */
  readonly path: string;
  readonly protocol: string;
  readonly column: string;
}

function Runs({ path, protocol, column }: RunsProps) {
  const { value: all, error } = useAnswer(() => readRuns(path), path);
  const runs = all && runsOfCell(all, { protocol, column });
  const isAttack = runs?.some(({ level }) => level !== undefined) ?? false;
  const columns = isAttack ? ['Level', 'Shows', 'Seed', 'Run'] : ['Shows', 'Nodes', 'Seed', 'Run'];
  return (
    <>
      <h3>Runs</h3>
      <ErrorNotice error={error} />
      {runs === null ? (
        error === null ? (
          <p class="loading">Loading…</p>
        ) : null
      ) : (
        <div class="scrolling">
          <table>
            <TableHead columns={columns} numbers={['Nodes']} />
            <tbody>
              {runs.map((run) => (
                <RunRow key={`${run.level} ${run.shows}`} run={run} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

/** The runs of all cells. */
async function readRuns(path: string): Promise<readonly MatrixRun[]> {
  return (await readResult(path, 'application/json')).json();
}

function RunRow({ run }: { readonly run: MatrixRun }) {
  const { level, shows, seed, nodes, saved } = run;
  const what = level === undefined ? (shows ?? 'no effect') : (LETTERS[shows ?? '-'] ?? shows);
  return (
    <tr>
      {level === undefined ? null : <th scope="row">{level}</th>}
      <td>{what}</td>
      {level === undefined ? <td class="number">{nodes}</td> : null}
      <td>
        <code title={seed}>{seed.length > 10 ? `${seed.slice(0, 10)}…` : seed}</code>
      </td>
      <td>
        {saved === null ? (
          'The server does not play the nodes of this fault.'
        ) : (
          <OpenButton run={run} saved={saved} name={level ?? shows ?? 'no effect'} />
        )}
      </td>
    </tr>
  );
}

interface OpenProps {
  readonly run: MatrixRun;
  readonly saved: string;
  readonly name: string;
}

function OpenButton({ run, saved, name }: OpenProps) {
  const { isBusy, error, attempt } = useAttempt();
  const open = () =>
    attempt(async () => {
      go(['elections', await openRun(run, saved)]);
    });
  return (
    <>
      <button
        type="button"
        aria-label={`Open the run: ${name}`}
        disabled={isBusy.value}
        onClick={() => void open()}
      >
        {isBusy.value ? 'Opening…' : 'Open'}
      </button>
      <ErrorNotice error={error.value} />
    </>
  );
}

/** Holds the election of a run again. Throws Error if it is not the same, and ProblemError. */
async function openRun({ protocol, messages, until }: MatrixRun, saved: string): Promise<string> {
  const made = await openSaved({
    protocol,
    saved: JSON.parse(saved),
    until: until === 'idle' ? until : Number(until),
  });
  const sent = made.messages.total ?? 0;
  if (sent === messages) return made.id;
  await answerOf(api.DELETE('/v1/elections/{id}', { params: { path: { id: made.id } } }));
  throw new Error(`The election sent ${sent} messages, the run ${messages}. It is not shown.`);
}
