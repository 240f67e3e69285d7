/**
 * @module
 * What may be asked for with `POST /v1/sweeps`, and how it becomes a sweep: the members are the flags of
 * `usurp sweep` with the same meaning, the sizes this server's own.
 */

import { z } from '@hono/zod-openapi';

import { LabError } from '../../../src/errors.ts';
import { SETTING_CHARACTERS_MAX, SETTINGS_MAX } from '../../../src/experiment/document/limits.ts';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { shellWord } from '../../../src/experiment/reading/shell-word.ts';
import type { SweepOutline } from '../../../src/experiment/sweep/plan.ts';
import { outlineSweep, plannedCells } from '../../../src/experiment/sweep/plan.ts';
import type { SeedRule } from '../../../src/experiment/sweep/sweep.ts';
import { SEED_RULES } from '../../../src/experiment/sweep/sweep.ts';
import type { Seed } from '../../../src/random.ts';
import { parseSeed } from '../../../src/random.ts';
import { latencyTicksMax, parseLatency } from '../../../src/simulation/faults/latency.ts';
import { randomSeed } from '../../contract/ids.ts';
import { LATENCY_TICKS_MAX } from '../../contract/limits.ts';
import { seedSchema } from '../../contract/seed-schema.ts';
import { modelOf } from '../runs/request.ts';

/** Cells of one sweep, and rows: those of the tables are kept on disk in three forms. */
export const SWEEP_CELLS_PER_REQUEST_MAX = 10_000;
export const SWEEP_ROWS_PER_REQUEST_MAX = 200_000;

/** A sweep that was checked but for its cells, of which each may be refused by the document. */
export interface SweepRequest {
  /** The catalogue's name of the model. */
  readonly id: string;
  readonly model: ThreatModel;
  readonly set: readonly string[];
  readonly outline: SweepOutline;
  readonly seed: Seed;
  readonly seedRule: SeedRule;
  /** The command that computes the same rows. */
  readonly replay: string;
}

const countSchema = z.int('must be an integer').min(1, 'must be at least 1');

export const sweepRequestSchema = z
  .strictObject({
    threatModel: z
      .string()
      .min(1)
      .max(64)
      .meta({ description: 'An id of GET /v1/threat-models.', example: 'top-id' }),
    set: z
      .array(z.string('must be text, path=values').max(SETTING_CHARACTERS_MAX))
      .max(SETTINGS_MAX)
      .default([])
      .meta({
        description:
          'Axes, path=a,b,c or path=range(8,28,2) or path=2^10:2^18|*2, and settings, path=value; left out, the axes of the document.',
        example: ['network.identity.c1=range(8,12,2)', 'work=sampled'],
      }),
    runs: countSchema
      .optional()
      .meta({ description: 'Of each cell; left out, as many as the document says.', example: 20 }),
    sample: countSchema
      .optional()
      .meta({ description: 'So many cells drawn from the grid by the seed.' }),
    seed: seedSchema.optional(),
    seeds: z
      .enum(SEED_RULES)
      .default(SEED_RULES[0])
      .meta({ description: 'paired: runs of all cells share seeds; independent: none does.' }),
  })
  .meta({ id: 'SweepRequest' });

/** Throws LabError `schema`, `arguments` or `job.size` when the sweep cannot be executed. */
export function parseSweepRequest(
  body: z.output<typeof sweepRequestSchema>,
  catalogue: readonly ThreatModel[],
): SweepRequest {
  const { threatModel: id, set, runs, sample, seeds: seedRule } = body;
  const model = modelOf(id, catalogue);
  const seed = body.seed === undefined ? randomSeed() : parseSeed(body.seed);
  const asked = { sets: set, document: model.sweep ?? null, runs, sample, seed };
  const outline = outlineOf(model, asked);
  assertSize(outline);
  pointed('/set', () => assertAllowed(model, outline, seed));
  const words = [
    ...['usurp', 'sweep', id, ...set.flatMap((text) => ['--set', text])],
    ...['--runs', String(outline.runs), '--seed', seed],
    ...(seedRule === SEED_RULES[0] ? [] : ['--seeds', seedRule]),
    ...(sample === undefined ? [] : ['--sample', String(sample)]),
  ];
  return { id, model, set, outline, seed, seedRule, replay: words.map(shellWord).join(' ') };
}

/** A grid beyond the bounds of any sweep is refused by those of this server, in its words. */
function outlineOf(model: ThreatModel, asked: Parameters<typeof outlineSweep>[1]): SweepOutline {
  try {
    return pointed('/set', () => outlineSweep(model, asked));
  } catch (error) {
    if (!(error instanceof LabError && error.code === 'job.size')) throw error;
    const detail = `at most ${SWEEP_CELLS_PER_REQUEST_MAX} cells and ${SWEEP_ROWS_PER_REQUEST_MAX} rows in one request, this grid has far more; take fewer values, or draw some of its cells with sample`;
    throw sized('/set', detail);
  }
}

function assertSize({ cells, runs }: SweepOutline): void {
  if (cells > SWEEP_CELLS_PER_REQUEST_MAX) {
    const most = `at most ${SWEEP_CELLS_PER_REQUEST_MAX} cells in one request, got ${cells}`;
    throw sized('/set', `${most}; sample draws some of them`);
  }
  if (cells * runs > SWEEP_ROWS_PER_REQUEST_MAX) {
    const rows = `${cells} cells of ${runs} runs are ${cells * runs} rows`;
    throw sized('/runs', `at most ${SWEEP_ROWS_PER_REQUEST_MAX} rows in one request: ${rows}`);
  }
}

/** Cells that are worked out before an answer: a cell takes 0.2 ms. */
const CELLS_LOOKED_AT = 32;

/** Refuses at once what a look at the first cells shows: all refused, or latencies that cost memory. */
function assertAllowed(model: ThreatModel, outline: SweepOutline, seed: Seed): void {
  const latencies = outline.axes.flatMap(({ path, values }) =>
    path === 'network.election.latency' ? values.map(String) : [],
  );
  let refusal: string | null = null;
  let seen = 0;
  for (const cell of plannedCells(model, outline, { seed, rateMeasured: null })) {
    seen += 1;
    refusal ??= cell.refusal;
    if (cell.model !== null) {
      latencies.push(String(cell.model.network.election.latency));
      break;
    }
    if (seen === CELLS_LOOKED_AT) break;
  }
  if (latencies.some((text) => latencyTicksMax(parseLatency(text)) > LATENCY_TICKS_MAX)) {
    throw new LabError('job.size', `at most ${LATENCY_TICKS_MAX} ticks of latency`);
  }
  if (refusal !== null && seen === outline.cells && latencies.length === 0) {
    throw new LabError('arguments', refusal);
  }
}

/** What is wrong there points there. */
function pointed<T>(pointer: string, ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new LabError(error.code, error.message, [{ pointer, detail: error.message }]);
  }
}

function sized(pointer: string, detail: string): LabError {
  return new LabError('job.size', detail, [{ pointer, detail }]);
}
