/**
 * @module
 * The body of `POST /v1/runs`, and how it becomes a request that can be executed: the threat model is
 * looked up, the settings are applied and checked, and a seed is chosen if none is given.
 */

import { z } from '@hono/zod-openapi';
import { stringify } from 'yaml';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { applySettings, readSetting } from '../../../src/experiment/reading/settings.ts';
import type { Seed } from '../../../src/random.ts';
import { latencyTicksMax, parseLatency } from '../../../src/simulation/faults/latency.ts';
import { faultAt, pointingAt } from '../../contract/faults.ts';
import { LATENCY_TICKS_MAX, seedOf, seedSchema } from '../../contract/members.ts';

/** A sampled run takes about 10 µs, a mined run as long as its mining. Both can be cancelled. */
export const RUNS_PER_REQUEST_MAX = 10_000_000;

/** A request that was checked completely, so that its execution meets no invalid input. */
export interface RunRequest {
  /** Name of the model in the catalogue, which settings cannot change. */
  readonly id: string;
  /** With the settings applied. */
  readonly model: ThreatModel;
  /** The settings as the command line spells them, `path=value`, for the replay command. */
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

/** The id of a threat model in the catalogue. */
export const threatModelIdSchema = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'An id of GET /v1/threat-models.', example: 'top-id' });

export const runRequestSchema = z
  .strictObject({
    threatModel: threatModelIdSchema,
    runs: z
      .int('must be an integer')
      .min(1, 'must be at least 1')
      .optional()
      .meta({ description: 'Number of runs; the document has the default.', example: 50 }),
    seed: seedSchema.optional(),
    set: z
      .record(z.string().regex(/^[A-Za-z][A-Za-z0-9._-]{0,199}$/), settingValueSchema)
      .default({})
      .meta({
        description: 'Changes of the document, by path. null removes a member.',
        example: { work: 'sampled' },
      }),
  })
  .meta({ id: 'RunRequest' });

/** Throws LabError `schema`, `arguments` or `job.size` if the request cannot be executed. */
export function parseRunRequest(
  body: z.output<typeof runRequestSchema>,
  catalogue: readonly ThreatModel[],
): RunRequest {
  const settings = Object.entries(body.set).map(([path, value]) => `${path}=${yamlFlow(value)}`);
  const document = modelOf(body.threatModel, catalogue);
  // A fault of the changed document is a fault of the settings.
  const model = pointingAt('/set', () => applySettings(document, settings.map(readSetting)));
  if (latencyTicksMax(parseLatency(String(model.network.election.latency))) > LATENCY_TICKS_MAX) {
    const detail = `at most ${LATENCY_TICKS_MAX} ticks of latency`;
    throw faultAt('job.size', '/set/network.election.latency', detail);
  }
  const runs = body.runs ?? model.runs;
  if (runs > RUNS_PER_REQUEST_MAX) {
    const detail = `at most ${RUNS_PER_REQUEST_MAX} runs in one request, got ${runs}`;
    throw faultAt('job.size', '/runs', detail);
  }
  return { id: body.threatModel, model, settings, runs, seed: seedOf(body.seed) };
}

/** The model with this id. Throws LabError `schema`, which lists the ids. */
export function modelOf(id: string, catalogue: readonly ThreatModel[]): ThreatModel {
  const model = catalogue.find((candidate) => candidate.id === id);
  if (model !== undefined) return model;
  const ids = catalogue.map((candidate) => candidate.id).join(', ');
  throw faultAt('schema', '/threatModel', `must be one of ${ids}`);
}

/** The value on one line of YAML, quoted only if it would be read as another value. */
function yamlFlow(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
}
