/**
 * @module
 * This folder contains sweeps as jobs: a threat model at every point of a grid. This file defines the kind,
 * and executes a sweep in a thread of its own. Each sweep has a private folder for its journal and tables,
 * which is removed when the job is forgotten.
 */

import { z } from '@hono/zod-openapi';
import { asksDevice } from '../../../src/experiment/document/threat-model.ts';
import { cellColumns, runColumns } from '../../../src/experiment/sweep/columns.ts';
import type { SweepProgress } from '../../../src/runtime/sweep/driver.ts';
import type { SweepCounts } from '../../../src/runtime/sweep/files.ts';
import type { Execute, JobHooks, JobKind } from '../job-kind.ts';
import { jobLinks, jobLinksSchema, jobMembers, jobView, TURN_LOST } from '../job-kind.ts';
import { executeInWorker } from '../worker-job.ts';
import type { SweepFolders } from './folders.ts';
import type { SweepRequest } from './request.ts';
import { sweepRequestSchema } from './request.ts';
import type { TableFile } from './table-files.ts';

/** Sweeps that are over and kept with their tables. */
export const SWEEPS_KEPT_MAX = 10;
/** Total size of their tables. Above it, the oldest sweep is forgotten earlier. */
export const SWEEP_BYTES_KEPT_MAX = 2 ** 30;

/** What the thread of a sweep receives. */
export interface SweepOrder {
  readonly request: SweepRequest;
  readonly folder: string;
  readonly threads: number;
}

/** What the thread of a sweep returns. */
export interface SweepOutcome {
  readonly counts: SweepCounts;
  /** Rows among them that a resumed sweep had computed. */
  readonly reused?: number;
  /** Whether every row was computed. */
  readonly isComplete: boolean;
  /** Size of the tables; 0 if there are none. */
  readonly bytes: number;
  /** The tables in every form. */
  readonly tables: readonly TableFile[];
}

export interface SweepResult extends SweepOutcome {
  /** Contains `rows.csv`, `rows.cells.csv` and so on; null if there are no tables. */
  readonly folder: string | null;
}

/** Progress as the engine reports it; null before the first report. */
export interface SweepJob {
  readonly request: SweepRequest;
  readonly progress: SweepProgress | null;
  readonly result: SweepResult;
}

const progressSchema = z
  .discriminatedUnion('phase', [
    z.object({ phase: z.literal('planning'), cells: z.int(), cellsTotal: z.int() }),
    z.object({
      phase: z.literal('computing'),
      cells: z.int(),
      cellsDone: z.int(),
      runs: z.int().describe('Runs of all cells.'),
      runsDone: z.int(),
      failed: z.int().describe('Runs without an outcome.'),
      runsPerSecond: z.number(),
      secondsLeft: z.number().nullable().describe('Null before the first run.'),
    }),
    z.object({ phase: z.literal('writing'), runs: z.int(), runsTotal: z.int() }),
  ])
  .meta({ id: 'SweepProgress' });

const columnSchema = z.object({
  name: z.string(),
  type: z.enum(['text', 'integer', 'number', 'boolean']),
  meaning: z.string(),
});

const sweepSchema = z
  .object({
    ...jobMembers('sweep', 's', sweepRequestSchema),
    grid: z
      .array(z.object({ path: z.string(), values: z.int() }))
      .describe('The settings that vary, and their numbers of values.'),
    cells: z.int(),
    resumed: z
      .string()
      .nullable()
      .describe('Id of the sweep whose finished runs were not computed again.'),
    progress: progressSchema.nullable().describe('Null before the first report.'),
    result: z
      .object({
        complete: z.boolean().describe('Whether every run was computed.'),
        runs: z
          .int()
          .describe(
            'Runs that were computed. The table `rows` has a row for each protocol of each.',
          ),
        reused: z.int().describe('Runs among them that the resumed sweep had computed.'),
        refused: z.int().describe('Cells that the document refuses.'),
        failed: z.int().describe('Runs without an outcome.'),
        bytes: z.int().describe('Size of the tables in all forms.'),
      })
      .optional(),
    columns: z
      .object({ rows: z.array(columnSchema), cells: z.array(columnSchema) })
      .describe('Columns of the tables, the same in every form.'),
    replay: z.string().describe('Command that computes the same rows.'),
    links: jobLinksSchema.extend({ rows: z.string(), cells: z.string() }),
  })
  .meta({ id: 'SweepJob' });

export const SWEEP: JobKind<SweepJob, 'sweeps', typeof sweepRequestSchema, typeof sweepSchema> = {
  letter: 's',
  name: 'sweep',
  plural: 'sweeps',
  tags: ['experiments'],
  takesModel: true,
  deviceMember: ({ model, outline: { axes, settings } }) =>
    asksDevice([model, axes, settings]) ? 'threatModel' : null,
  summary: 'Run a threat model at every point of a grid',
  body: sweepRequestSchema,
  example: {
    threatModel: 'top-id',
    axes: { 'network.honest': [4, 8] },
    set: { work: 'sampled' },
    runs: 20,
    seed: '1',
  },
  keptMax: SWEEPS_KEPT_MAX,
  begun: null,
  weight: { of: ({ bytes }) => bytes, keptMax: SWEEP_BYTES_KEPT_MAX },
  remainingMs({ progress }) {
    const secondsLeft = progress?.phase === 'computing' ? progress.secondsLeft : null;
    return 1000 * (secondsLeft ?? Number.POSITIVE_INFINITY);
  },
  isWhole: ({ isComplete }) => isComplete,
  view: sweepSchema,
  viewOf(job) {
    const { outline, replay, resumption } = job.request;
    const { axes, cells } = outline;
    const links = jobLinks(job);
    const { result } = job.state;
    return {
      ...jobView('sweep', job),
      grid: axes.map(({ path, values }) => ({ path, values: values.length })),
      cells,
      resumed: resumption?.id ?? null,
      progress: job.progress && progressView(job.progress, result),
      ...(result && { result: resultView(result) }),
      columns: { rows: [...runColumns(axes)], cells: [...cellColumns(axes)] },
      replay,
      links: {
        ...links,
        rows: `${links.self}/results/rows`,
        cells: `${links.self}/results/cells`,
      },
    };
  },
};

function resultView({ counts, isComplete: complete, bytes, reused = 0 }: SweepResult) {
  const { rows, refused, failed } = counts;
  return { complete, runs: rows, reused, refused, failed, bytes };
}

/** The engine calls the runs of a sweep rows. Tables are written once for each form; what is over is written. */
function progressView(
  progress: SweepProgress,
  result: SweepResult | null | undefined,
): z.output<typeof progressSchema> {
  if (progress.phase === 'planning') return progress;
  if (progress.phase === 'writing') {
    const { phase, rows, rowsTotal: runsTotal } = progress;
    return { phase, runs: result ? runsTotal : rows, runsTotal };
  }
  const { phase, cells, cellsDone, rows: runs, failed, secondsLeft } = progress;
  const runsDone = result?.counts.rows ?? progress.rowsDone;
  const runsPerSecond = progress.rowsPerSecond;
  return { phase, cells, cellsDone, runs, runsDone, failed, runsPerSecond, secondsLeft };
}

/** Finds the folders of results after a restart, and removes those of forgotten jobs. */
export function sweepHooks(folders: SweepFolders): JobHooks<SweepJob> {
  return {
    restoreResult: (result) => ({ ...result, folder: folders.at(result.folder) }),
    onForget: async ({ state }) => {
      const folder = state.result?.folder ?? null;
      if (folder !== null) await folders.remove(folder);
    },
  };
}

/** Executes each sweep with this number of computing threads. */
export function sweepInThreads(threads: number, folders: SweepFolders): Execute<SweepJob> {
  return async (request, execution) => {
    const folder = await folders.make();
    let isKept = false;
    try {
      const order: SweepOrder = { request, folder, threads };
      const outcome = await executeInWorker<SweepProgress, SweepOutcome>(
        SWEEP_WORKER,
        order,
        execution,
        WRITING_GRACE_MS,
      );
      if (outcome === null) throw new DOMException('terminated', 'AbortError');
      isKept = outcome.bytes > 0 && execution.signal.reason !== TURN_LOST;
      if (isKept) await folders.finish(folder);
      return { ...outcome, folder: isKept ? folder : null };
    } finally {
      if (!isKept) await folders.remove(folder);
    }
  };
}

/** Time for a cancelled sweep to write the tables of its rows: 200 000 rows in three forms take some seconds. */
const WRITING_GRACE_MS = 60_000;

const SWEEP_WORKER = new URL('./worker.ts', import.meta.url);
