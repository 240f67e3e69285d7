/**
 * @module
 * The body of `POST /v1/sweeps`, and how it becomes a sweep. Its members are the flags of `usurp sweep` with
 * the same meaning. The limits are those of this server.
 */

import { z } from '@hono/zod-openapi';
import { jsonPointer, LabError } from '../../../src/errors.ts';
import {
  REMOTE_CELLS_MAX,
  REMOTE_ROWS_MAX,
  SETTING_CHARACTERS_MAX,
} from '../../../src/experiment/document/limits.ts';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import type { Setting } from '../../../src/experiment/reading/settings.ts';
import { settingOf, settingTo } from '../../../src/experiment/reading/settings.ts';
import { flowText } from '../../../src/experiment/reading/yaml.ts';
import type { SetRequest } from '../../../src/experiment/sweep/axes.ts';
import { listedAxis, readSet } from '../../../src/experiment/sweep/axes.ts';
import type { SeedRule } from '../../../src/experiment/sweep/grid.ts';
import type { SweepOutline } from '../../../src/experiment/sweep/plan.ts';
import { outlineSweep, plannedCells } from '../../../src/experiment/sweep/plan.ts';
import {
  FEW_RULE,
  isFew,
  modelSourceSchema,
  pathSchema,
  setSchema,
  settingText,
  settingValueSchema,
} from '../../../src/operations/model.ts';
import { replayOf } from '../../../src/operations/operation.ts';
import { SWEEP_VERB } from '../../../src/operations/sweep.ts';
import type { Seed } from '../../../src/random.ts';
import { latencyTicksMax, parseLatency } from '../../../src/simulation/faults/latency.ts';
import { LATENCY_TICKS_MAX } from '../../../src/simulation/request/remote-limits.ts';
import { faultAt, pointingAt } from '../../contract/faults.ts';
import { seedOf } from '../../contract/members.ts';
import { modelIn } from '../model-source.ts';

type SetMembers = Readonly<z.output<typeof setSchema>>;

const LIST_RULE = 'must have 2 to 10000 values; a single value belongs to set';
const RANGE_RULE = 'must be a list of values, range(8,28,2), or the geometric 2^10:2^18|*2';

/** The axes of a grid in the form of a document's `sweep.axes`: several values for each path. */
const axesSchema = z
  .record(
    pathSchema,
    z.union(
      [
        z.array(settingValueSchema).min(2, LIST_RULE).max(10_000, LIST_RULE),
        z
          .string(RANGE_RULE)
          .max(SETTING_CHARACTERS_MAX, RANGE_RULE)
          .regex(/^(?:range\(.+\)|.+\|\*.+)$/, RANGE_RULE),
      ],
      RANGE_RULE,
    ),
  )
  .refine(isFew, FEW_RULE)
  .meta({
    description:
      'The values of each setting that varies, by path: a list, range(8,28,2), or the geometric 2^10:2^18|*2. Without axes, those of the document are used.',
    example: { 'network.honest': [4, 8], 'network.identity.c1': 'range(8,12,2)' },
  });

type AxesMembers = Readonly<z.output<typeof axesSchema>>;

/** The settings of a request. Throws LabError `arguments`, which points at the member with the fault. */
function settingsIn(set: SetMembers): Setting[] {
  return Object.entries(set).map(([path, value]) =>
    pointingAt(jsonPointer(['set', path]), () => settingTo(path, value, settingText(path, value))),
  );
}

/** An axis or a setting with its text, as `--set` takes it. */
interface GridMember {
  readonly request: SetRequest;
  readonly text: string;
}

/** Axes, then settings. Throws LabError, which points at the member with the fault. */
function gridIn(set: SetMembers, axes: AxesMembers): GridMember[] {
  const varied = Object.entries(axes).map(([path, values]) =>
    pointingAt(jsonPointer(['axes', path]), () => axisIn(path, values)),
  );
  const fixed = settingsIn(set).map((setting): GridMember => {
    return { request: { type: 'setting', setting }, text: setting.text };
  });
  return [...varied, ...fixed];
}

/** The values of a list are checked as they are, because a list can have thousands. */
function axisIn(path: string, values: AxesMembers[string]): GridMember {
  // An axis is checked as a setting is, before its cells are made.
  settingOf(path, null);
  if (typeof values === 'string') {
    const text = `${path}=${values}`;
    return { request: readSet(text), text };
  }
  const axis = listedAxis(path, values);
  return { request: { type: 'axis', axis }, text: `${path}=${values.map(flowText).join(',')}` };
}

/** Longer than any id. */
const JOB_ID_CHARACTERS_MAX = 64;

/** An earlier sweep, and the folder with its journal. */
export interface Resumption {
  readonly id: string;
  readonly folder: string;
}

/** A sweep that was checked, except its cells: the document may refuse some of them. */
export interface SweepRequest {
  readonly body: z.output<typeof sweepRequestSchema>;
  /** What stands for the model in commands. */
  readonly file: string;
  readonly model: ThreatModel;
  readonly outline: SweepOutline;
  readonly seed: Seed;
  readonly seedRule: SeedRule;
  /** The command that computes the same rows. */
  readonly replay: string;
  /** The sweep whose finished runs are not computed again. */
  readonly resumption?: Resumption;
}

const { runs, seed, seeds, sample } = SWEEP_VERB.members;

export const sweepRequestSchema = z
  .strictObject({
    threatModel: modelSourceSchema,
    set: setSchema.optional(),
    axes: axesSchema.optional(),
    runs: runs.remote,
    sample: sample.remote,
    seed: seed.remote,
    seeds: seeds.remote,
    resumes: z.string().max(JOB_ID_CHARACTERS_MAX).optional().meta({
      description:
        'Id of a stopped sweep with the same document, settings, axes and seed. Its finished runs are not computed again. More runs may be asked for.',
      example: 's_kq3vj5m2xw7ntb4d',
    }),
  })
  .meta({ id: 'SweepRequest' });

/** Throws LabError `schema`, `arguments` or `job.size` if the sweep cannot be executed. */
export function parseSweepRequest(
  { resumes: _, ...body }: z.output<typeof sweepRequestSchema>,
  catalogue: readonly ThreatModel[],
): SweepRequest {
  const { set = {}, axes = {}, runs, sample, seeds: seedRule } = body;
  const grid = gridIn(set, axes);
  const { name: file, model } = modelIn(body.threatModel, catalogue);
  const seed = seedOf(body.seed);
  const outline = outlineOf(model, {
    sets: grid.map(({ request }) => request),
    document: model.sweep ?? null,
    runs,
    sample,
    seed,
  });
  assertSize(outline);
  assertAllowed(model, outline, seed);
  const texts = grid.map(({ text }) => text);
  const threatModel = { name: file, model };
  const stated = { threatModel, set: texts, runs: outline.runs, seed, seeds: seedRule, sample };
  const replay = replayOf(SWEEP_VERB, stated);
  const { runs: runsOfCell, sample: drawn } = outline;
  const whole = { ...body, runs: runsOfCell, ...(drawn !== null && { sample: drawn }), seed };
  return { body: whole, file, model, outline, seed, seedRule, replay };
}

/** A grid above the limits of every sweep is refused with the limits of this server. */
function outlineOf(model: ThreatModel, request: Parameters<typeof outlineSweep>[1]): SweepOutline {
  try {
    return pointingAt('/axes', () => outlineSweep(model, request));
  } catch (error) {
    if (!(error instanceof LabError && error.code === 'job.size')) throw error;
    const detail = `at most ${REMOTE_CELLS_MAX} cells and ${REMOTE_ROWS_MAX} rows in one request, this grid has far more; use fewer values, or draw some of its cells with sample`;
    throw faultAt('job.size', '/axes', detail);
  }
}

function assertSize({ cells, runs }: SweepOutline): void {
  if (cells > REMOTE_CELLS_MAX) {
    const most = `at most ${REMOTE_CELLS_MAX} cells in one request, got ${cells}`;
    throw faultAt('job.size', '/axes', `${most}; sample draws some of them`);
  }
  if (cells * runs > REMOTE_ROWS_MAX) {
    const rows = `${cells} cells of ${runs} runs are ${cells * runs} rows`;
    const detail = `at most ${REMOTE_ROWS_MAX} rows in one request: ${rows}`;
    throw faultAt('job.size', '/runs', detail);
  }
}

/** Cells that are planned before the answer. A cell takes 0.2 ms. */
const CELLS_EXAMINED = 32;

/** Refuses a sweep whose first cells are all refused, or whose latencies would take too much memory. */
function assertAllowed(model: ThreatModel, outline: SweepOutline, seed: Seed): void {
  const ofAxes = outline.axes.flatMap(({ path, values }) =>
    path === 'network.election.latency' ? values.map(String) : [],
  );
  const pointer = outline.axes.length > 0 ? '/axes' : '/set';
  const { allowed, refusal, seen } = pointingAt(pointer, () => examine(model, outline, seed));
  const ofCell = allowed === null ? [] : [String(allowed.network.election.latency)];
  const latencies = [...ofAxes, ...ofCell];
  if (latencies.some((text) => latencyTicksMax(parseLatency(text)) > LATENCY_TICKS_MAX)) {
    const detail = `at most ${LATENCY_TICKS_MAX} ticks of latency`;
    throw faultAt('job.size', ofAxes.length > 0 ? '/axes' : '/set', detail);
  }
  if (refusal !== null && seen === outline.cells && latencies.length === 0) {
    throw faultAt('arguments', pointer, refusal);
  }
}

/** Plans cells up to the first that the document allows. */
function examine(model: ThreatModel, outline: SweepOutline, seed: Seed) {
  let refusal: string | null = null;
  let seen = 0;
  for (const { cell, open } of plannedCells(model, outline, { seed, rateMeasured: null })) {
    seen += 1;
    refusal ??= cell?.refusal ?? null;
    const allowed = open?.model ?? cell?.model ?? null;
    if (allowed !== null) return { allowed, refusal, seen };
    if (seen === CELLS_EXAMINED) break;
  }
  return { allowed: null, refusal, seen };
}
