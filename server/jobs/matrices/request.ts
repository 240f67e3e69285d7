/**
 * @module
 * The body of `POST /v1/matrices`. The attack matrix has the flags of `usurp attack --matrix`.
 */

import { z } from '@hono/zod-openapi';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { MATRIX_SEED } from '../../../src/experiment/attack/matrix-report.ts';
import type { Seed } from '../../../src/random.ts';
import { parseSeed } from '../../../src/random.ts';
import { FAULT_RUNS, FAULT_RUNS_MAX } from '../../../src/simulation/conform/fault-row.ts';
import type { RunStarts } from '../../../src/simulation/conform/starts.ts';
import { RUN_STARTS } from '../../../src/simulation/conform/starts.ts';
import { countSchema, protocolNamesSchema, seedSchema } from '../../contract/members.ts';

/** A matrix as a request. */
export interface MatrixRequest {
  readonly body: WholeMatrix;
}

/** A matrix with all defaults. */
export type WholeMatrix =
  | {
      readonly matrix: 'attack';
      readonly protocols: ProtocolName[];
      readonly seed: Seed;
      readonly sets: boolean;
    }
  | {
      readonly matrix: 'fault';
      readonly protocols: ProtocolName[];
      readonly runs: number;
      readonly starts: RunStarts;
    };

const rowsSchema = protocolNamesSchema
  .optional()
  .meta({ description: 'All protocols by default.', example: ['raft'], uniqueItems: true });

const attackSchema = z
  .strictObject({
    matrix: z.literal('attack'),
    protocols: rowsSchema,
    seed: seedSchema
      .optional()
      .describe(`${MATRIX_SEED} by default, so that the matrix is the same for every reader.`),
    sets: z
      .boolean()
      .default(false)
      .describe('Search the smallest set of defences that stops each attack. That takes minutes.'),
  })
  .meta({ id: 'AttackMatrixRequest' });

const faultSchema = z
  .strictObject({
    matrix: z.literal('fault'),
    protocols: rowsSchema,
    runs: countSchema(1, FAULT_RUNS_MAX)
      .default(FAULT_RUNS)
      .describe('Runs of each cell. The number of a run is its seed.'),
    starts: z
      .enum(RUN_STARTS)
      .default('together')
      .describe(
        'When nodes start. together: all at tick 0. any: one at tick 0, and the others at drawn ticks.',
      ),
  })
  .meta({ id: 'FaultMatrixRequest' });

export const matrixRequestSchema = z
  .discriminatedUnion('matrix', [attackSchema, faultSchema], 'must have the matrix attack or fault')
  .meta({ id: 'MatrixRequest' });

/** Fills in the defaults. */
export function parseMatrixRequest(body: z.output<typeof matrixRequestSchema>): MatrixRequest {
  const { protocols = [...PROTOCOL_NAMES] } = body;
  if (body.matrix === 'fault') return { body: { ...body, protocols } };
  const { seed = MATRIX_SEED, ...rest } = body;
  return { body: { ...rest, protocols, seed: parseSeed(seed) } };
}
