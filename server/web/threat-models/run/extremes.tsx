/**
 * @module
 * The extreme runs of a model by their seeds. Each can be run alone, and opened as an election where that is exact.
 * The job that finds them is in the address.
 */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { answerOf, api } from '../../api/client.ts';
import { cancelJob, isOver, once, useJob } from '../../api/jobs.ts';
import { readResult } from '../../parts/download.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { count } from '../../parts/numbers.ts';
import { Progress } from '../../parts/progress.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { hrefOf, keepInAddress } from '../../shell/router.ts';
import { useAttempt } from '../../shell/use-attempt.ts';
import { valueAt } from '../draft.ts';
import { isRecord } from '../form/form-schema.ts';
import type { OpenedElection, RunReport } from './run-elections.ts';
import { obstacleOf, openElections } from './run-elections.ts';

interface ExtremesProps {
  readonly id: string;
  readonly data: unknown;
  readonly report: RunReport;
  readonly query: Readonly<Record<string, string>>;
}

export function Extremes({ id, data, report, query }: ExtremesProps) {
  const job = query.extremes ?? null;
  const { error, attempt } = useAttempt();
  const found = useSignal<readonly ExtremeRun[] | null>(null);
  const followed = useJob(job);
  const sweep = followed.value.job?.kind === 'sweep' ? followed.value.job : null;
  const isDone = sweep?.status === 'done' || sweep?.status === 'cancelled';
  useEffect(() => {
    found.value = null;
    if (job === null || !isDone) return;
    loadExtremes(job).then(
      (runs) => {
        found.value = runs;
      },
      (refusal: unknown) => {
        error.value = refusal;
      },
    );
  }, [job, isDone]);
  const runs = Math.min(EXTREME_RUNS_MAX, report.results[0]?.measured.runs ?? 1);
  const find = () =>
    attempt(async () => {
      const body = { threatModel: withoutSweep(data), runs, seed: query.seed ?? '1' };
      const made = await answerOf(api.POST('/v1/sweeps', { params: once(), body }));
      keepInAddress({ extremes: made.id });
    });
  const isRunning = sweep !== null && !isOver(sweep);
  return (
    <section aria-label="Extreme runs" class="extremes">
      <h2>Extreme runs</h2>
      <p>
        A sweep with {runs} runs of its own keeps the seeds of those with the property, without it,
        and with the fewest and the most messages.
      </p>
      <div class="controls">
        <button type="button" disabled={isRunning} onClick={find}>
          Find the extreme runs
        </button>
        {isRunning ? (
          <>
            <button type="button" onClick={() => void cancelJob(sweep.id)}>
              Cancel the search
            </button>
            <SearchProgress progress={followed.value.progress ?? sweep.progress} />
          </>
        ) : null}
      </div>
      <ErrorNotice error={error.value ?? followed.value.error} />
      {found.value === null ? null : (
        <ExtremeTable {...{ id, data, query }} runs={found.value} obstacle={obstacleOf(report)} />
      )}
    </section>
  );
}

function SearchProgress({ progress }: { readonly progress: unknown }) {
  const done = Number(valueAt(progress, ['runsDone']) ?? 0);
  const total = Number(valueAt(progress, ['runs']) ?? 0);
  const note = total === 0 ? 'begins' : `${count(done)} of ${count(total)} runs`;
  return <Progress label="Runs of the search" done={done} total={total || null} note={note} />;
}

interface TableProps extends Omit<ExtremesProps, 'report'> {
  readonly runs: readonly ExtremeRun[];
  readonly obstacle: string | null;
}

function ExtremeTable({ runs, obstacle, ...row }: TableProps) {
  return (
    <>
      <div class="scrolling">
        <table>
          <TableHead columns={['Protocols', 'Run', 'Seed', 'Look at it']} />
          <tbody>
            {runs.map((run) => (
              <ExtremeRow
                key={`${run.protocols.join(' ')} ${run.what}`}
                {...row}
                run={run}
                canOpen={obstacle === null}
              />
            ))}
          </tbody>
        </table>
      </div>
      {obstacle === null ? null : (
        <p>No election of this server can repeat these runs, because {obstacle}.</p>
      )}
    </>
  );
}

interface RowProps extends Omit<ExtremesProps, 'report'> {
  readonly run: ExtremeRun;
  readonly canOpen: boolean;
}

function ExtremeRow({ id, data, query, run, canOpen }: RowProps) {
  const { protocols, what, seed } = run;
  const opened = useSignal<readonly OpenedElection[]>([]);
  const { error, attempt } = useAttempt();
  const open = () =>
    attempt(async () => {
      opened.value = await openElections(withoutSweep(data), seed, protocols);
    });
  const alone = { document: query.document, runs: 1, seed };
  return (
    <tr>
      <td>{protocols.length === 0 ? 'no election' : protocols.join(', ')}</td>
      <td>{what}</td>
      <td>
        <code title={seed}>{seed.length > 12 ? `${seed.slice(0, 12)}…` : seed}</code>
      </td>
      <td class="actions">
        <a href={hrefOf(['threat-models', id], alone)}>Only this run</a>
        {canOpen && opened.value.length === 0 ? (
          <button type="button" onClick={open}>
            Open the election
          </button>
        ) : null}
        {opened.value.map((election) => (
          <a key={election.id} href={hrefOf(['elections', election.id])}>
            Election of {election.protocol}
          </a>
        ))}
        <ErrorNotice error={error.value} />
      </td>
    </tr>
  );
}

/** A run by its seed, as `usurp run --seed … --runs 1` repeats it. */
interface ExtremeRun {
  readonly protocols: readonly string[];
  readonly what: string;
  readonly seed: string;
}

/** Runs whose seeds are kept take more room than those of a verdict. */
const EXTREME_RUNS_MAX = 10_000;

/** The document without the axes of its sweep, so that a sweep of it has one cell. */
function withoutSweep(data: unknown): Record<string, unknown> {
  if (!isRecord(data)) return {};
  const { sweep: _, ...rest } = data;
  return rest;
}

/** The extreme runs in the table of cells of a sweep that is over. */
async function loadExtremes(job: string): Promise<readonly ExtremeRun[]> {
  const response = await readResult(`/v1/jobs/${job}/results/cells`, 'application/json');
  const rows: unknown = await response.json();
  return Array.isArray(rows) ? rows.filter(isRecord).flatMap(extremesOf) : [];
}

function extremesOf(row: Readonly<Record<string, unknown>>): readonly ExtremeRun[] {
  const protocols = String(row.protocol ?? '')
    .split(' ')
    .filter((name) => name !== '');
  const count = (value: unknown) => `${value} ${value === 1 ? 'message' : 'messages'}`;
  const found: readonly (readonly [string, unknown])[] = [
    ['The first run with the property', row.wonSeed],
    ['The first run without it', row.lostSeed],
    // Sampled runs draw the winner and send nothing.
    ...(Number(row.messagesMax) > 0
      ? ([
          [`The fewest messages: ${count(row.messagesMin)}`, row.messagesMinSeed],
          [`The most messages: ${count(row.messagesMax)}`, row.messagesMaxSeed],
        ] as const)
      : []),
  ];
  return found.flatMap(([what, seed]) =>
    typeof seed === 'string' && seed !== '' ? [{ protocols, what, seed }] : [],
  );
}
