/**
 * @module
 * What may be asked for with `POST /v1/runs`, and how it becomes a request that can be executed: the
 * threat model looked up, the settings applied and checked, a seed chosen where none was given.
 */

import { z } from '@hono/zod-openapi';
import { stringify } from 'yaml';

import { LabError } from '../../../src/errors.ts';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { applySettings } from '../../../src/experiment/reading/settings.ts';
import type { Seed } from '../../../src/random.ts';
import { parseSeed } from '../../../src/random.ts';
import { latencyTicksMax, parseLatency } from '../../../src/simulation/faults/latency.ts';
import { randomSeed } from '../../contract/ids.ts';
import { LATENCY_TICKS_MAX } from '../../contract/limits.ts';
import { seedSchema } from '../../contract/seed-schema.ts';

/** A sampled run takes about 10 µs, a mined one as long as its mining; both can be cancelled. */
export const RUNS_PER_REQUEST_MAX = 10_000_000;

/** A request that was checked whole: executing it meets no bad input. */
export interface RunRequest {
  /** The catalogue's name of the model, which settings cannot change. */
  readonly id: string;
  /** With the settings applied. */
  readonly model: ThreatModel;
  /** The settings as the command line spells them, `path=value`, for the replay. */
  readonly settings: readonly string[];
  readonly runs: number;
  readonly seed: Seed;
}

const settingValueSchema = z.union([
  z.string().max(256),
  z.number(),
  z.boolean(),
  z.null(),
  z.array(z.union([z.string().max(64), z.number()])).max(64),
]);

export const runRequestSchema = z
  .strictObject({
    threatModel: z
      .string()
      .min(1)
      .max(64)
      .meta({ description: 'An id of GET /v1/threat-models.', example: 'top-id' }),
    runs: z
      .int('must be an integer')
      .min(1, 'must be at least 1')
      .optional()
      .meta({ description: 'How many; left out, as many as the document says.', example: 50 }),
    seed: seedSchema.optional(),
    set: z
      .record(z.string().regex(/^[A-Za-z][A-Za-z0-9._-]{0,199}$/), settingValueSchema)
      .default({})
      .meta({
        description: 'Changes to the document, by path; null takes a member away.',
        example: { work: 'sampled' },
      }),
  })
  .meta({ id: 'RunRequest' });

/** Throws LabError `schema`, `arguments` or `job.size` when the request cannot be executed. */
export function parseRunRequest(
  body: z.output<typeof runRequestSchema>,
  catalogue: readonly ThreatModel[],
): RunRequest {
  const settings = Object.entries(body.set).map(([path, value]) => `${path}=${yamlFlow(value)}`);
  const model = withSettings(modelOf(body.threatModel, catalogue), settings);
  if (latencyTicksMax(parseLatency(String(model.network.election.latency))) > LATENCY_TICKS_MAX) {
    const detail = `at most ${LATENCY_TICKS_MAX} ticks of latency`;
    throw new LabError('job.size', detail, [{ pointer: '/set/network.election.latency', detail }]);
  }
  const runs = body.runs ?? model.runs;
  if (runs > RUNS_PER_REQUEST_MAX) {
    const detail = `at most ${RUNS_PER_REQUEST_MAX} runs in one request, got ${runs}`;
    throw new LabError('job.size', detail, [{ pointer: '/runs', detail }]);
  }
  const seed = body.seed === undefined ? randomSeed() : parseSeed(body.seed);
  return { id: body.threatModel, model, settings, runs, seed };
}

/** The model of the catalogue; throws LabError `schema` that lists them. */
export function modelOf(id: string, catalogue: readonly ThreatModel[]): ThreatModel {
  const model = catalogue.find((candidate) => candidate.id === id);
  if (model !== undefined) return model;
  const detail = `must be one of ${catalogue.map((candidate) => candidate.id).join(', ')}`;
  throw new LabError('schema', `/threatModel: ${detail}`, [{ pointer: '/threatModel', detail }]);
}

/** What a setting does wrong is wrong under `set`, wherever in the document it would have stood. */
function withSettings(model: ThreatModel, settings: readonly string[]): ThreatModel {
  try {
    return applySettings(model, settings);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new LabError(error.code, error.message, [{ pointer: '/set', detail: error.message }]);
  }
}

/** The value on one line of YAML, quoted only where it would be read as something else. */
function yamlFlow(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
}
