/**
 * @module
 * This folder contains the two matrices as jobs: every attack of the catalogue on every protocol, and every
 * fault. This file defines the kind, and executes a matrix in a thread of its own.
 */

import { z } from '@hono/zod-openapi';
import { FAULT_NAMES } from '../../../src/election/definition/fault-row.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { MATRIX_ATTACK_NAMES } from '../../../src/experiment/attack/matrix.ts';
import type { AttackMatrix } from '../../../src/experiment/attack/matrix-report.ts';
import { reportAttackMatrix } from '../../../src/experiment/attack/matrix-report.ts';
import {
  CHOSEN_DEFENCE_NAMES,
  NETWORK_DEFENCE_NAMES,
} from '../../../src/experiment/document/defence-names.ts';
import type { FaultMatrixRow } from '../../../src/simulation/conform/fault-matrix.ts';
import { FAULT_EFFECTS } from '../../../src/simulation/conform/fault-row.ts';
import { seedSchema } from '../../contract/members.ts';
import type { Execute } from '../job-kind.ts';
import { defineJob, jobLinks, jobLinksSchema, jobMembers, jobView } from '../job-kind.ts';
import { executeInWorker } from '../worker-job.ts';
import type { MatrixRequest, WholeMatrix } from './request.ts';
import { matrixRequestSchema } from './request.ts';
import type { MatrixRun } from './shown-runs.ts';

/** Matrices that are over and kept. */
export const MATRICES_KEPT_MAX = 20;

/** Rows are done one after the other. */
export interface MatrixProgress {
  readonly done: number;
  readonly total: number;
  /** The cell that is computed now. Null before the first. */
  readonly now: string | null;
}

export type MatrixResult = (
  | { readonly matrix: 'attack'; readonly found: AttackMatrix }
  | { readonly matrix: 'fault'; readonly runs: number; readonly rows: readonly FaultMatrixRow[] }
) & {
  /** The runs that the cells rest on. */
  readonly shown: readonly MatrixRun[];
};

/** What the thread of a matrix sends: its progress, or the rows that it has. */
export type MatrixMessage =
  | { readonly progress: MatrixProgress; readonly partial?: undefined }
  | { readonly progress?: undefined; readonly partial: MatrixResult };

export interface MatrixJob {
  readonly request: MatrixRequest;
  readonly progress: MatrixProgress;
  readonly result: MatrixResult;
}

/** Rows of a matrix. With sets of defences, each protocol has a row and its sets. */
export function rowsOf(request: WholeMatrix): number {
  return request.protocols.length * (request.matrix === 'attack' && request.sets ? 2 : 1);
}

const protocolSchema = z.enum(PROTOCOL_NAMES);
const defenceSchema = z.enum([...CHOSEN_DEFENCE_NAMES, ...NETWORK_DEFENCE_NAMES]);

const attackResultSchema = z
  .object({
    matrix: z.literal('attack'),
    complete: z.boolean().describe('Whether every row was computed.'),
    attacks: z.array(z.enum(MATRIX_ATTACK_NAMES)).readonly(),
    rows: z
      .array(
        z.object({
          protocol: protocolSchema,
          cells: z
            .array(
              z.object({
                attack: z.enum(MATRIX_ATTACK_NAMES),
                byLevel: z
                  .string()
                  .describe(
                    'For L0 to L3: the aim that was reached (L lead, N stop, S split), - for none, ? if the election fails without an attack too.',
                  ),
                mark: z
                  .enum(['○', '●', ''])
                  .describe('○ works even at L3, ● works only at lower levels.'),
                smallestSet: z
                  .array(defenceSchema)
                  .readonly()
                  .nullable()
                  .optional()
                  .describe('Null if none of the sets that were tried stops the attack.'),
                remains: z.string().nullable().optional().describe('Why the attack remains.'),
              }),
            )
            .readonly()
            .describe('Without the attacks that do not apply to the protocol.'),
        }),
      )
      .readonly(),
    replay: z.string().describe('Command that computes the same matrix.'),
  })
  .meta({ id: 'AttackMatrix' });

const faultResultSchema = z
  .object({
    matrix: z.literal('fault'),
    complete: z.boolean().describe('Whether every row was computed.'),
    rows: z
      .array(
        z.object({
          protocol: protocolSchema,
          cells: z
            .array(
              z.object({
                fault: z.enum(FAULT_NAMES),
                drawn: z.string().describe('The fault in words.'),
                stated: z
                  .string()
                  .meta({ description: 'What the definition states.', example: 'X S1 S2' }),
                why: z.string(),
                runs: z.int(),
                seen: z
                  .array(
                    z.object({
                      effect: z.enum(FAULT_EFFECTS),
                      runs: z.int().describe('Runs that showed it.'),
                      seed: seedSchema.describe('Of the first of them.'),
                      nodes: z.int(),
                      detail: z.string(),
                    }),
                  )
                  .readonly(),
                agrees: z
                  .enum(['true', 'false', 'unknown'])
                  .describe(
                    'Whether the runs agree with the definition. unknown: no run showed an effect that it states, which more runs may do.',
                  ),
              }),
            )
            .readonly()
            .describe('Without the faults that do not apply to the protocol.'),
        }),
      )
      .readonly(),
  })
  .meta({ id: 'FaultMatrix' });

const matrixSchema = z
  .object({
    ...jobMembers('matrix', 'm', matrixRequestSchema),
    progress: z
      .object({
        done: z.int().describe('Rows that are done. With sets, each protocol counts twice.'),
        total: z.int(),
        now: z
          .string()
          .nullable()
          .describe('The cell that is computed. Null before the first and after the last.'),
      })
      .meta({ id: 'MatrixProgress' }),
    result: z
      .discriminatedUnion('matrix', [attackResultSchema, faultResultSchema])
      .optional()
      .describe('With the rows that were finished if it was cancelled.'),
    links: jobLinksSchema.extend({ cells: z.string(), runs: z.string() }),
  })
  .meta({ id: 'MatrixJob' });

export const MATRIX = defineJob<MatrixJob>()({
  ...{ letter: 'm', name: 'matrix', plural: 'matrices', tags: ['experiments'] },
  summary: 'Run every attack, or every fault, on every protocol',
  body: matrixRequestSchema,
  example: { matrix: 'fault', protocols: ['cr-join'], runs: 5 },
  ...{ keptMax: MATRICES_KEPT_MAX, begun: { done: 0, total: 0, now: null } },
  remainingMs({ progress: { done, total } }, elapsedMs) {
    if (done === 0) return Number.POSITIVE_INFINITY;
    return (elapsedMs * (total - done)) / done;
  },
  view: matrixSchema,
  viewOf(job): z.output<typeof matrixSchema> {
    const { progress } = job;
    const { body } = job.request;
    const { status, result } = job.state;
    const links = jobLinks(job);
    const total = rowsOf(body);
    return {
      ...jobView('matrix', job),
      progress:
        status === 'done'
          ? { done: total, total, now: null }
          : { done: progress.done, total, now: progress.now },
      ...(result && { result: resultView(body, result) }),
      links: {
        ...links,
        cells: `${links.self}/results/cells`,
        runs: `${links.self}/results/runs`,
      },
    };
  },
});

function resultView(request: WholeMatrix, result: MatrixResult) {
  if (result.matrix === 'fault') {
    const { matrix, rows } = result;
    return { matrix, complete: rows.length === rowsOf(request), rows };
  }
  const { rows, sets } = result.found;
  const { seed: _seed, ...report } = reportAttackMatrix(result.found);
  const complete = rows.length + sets.length === rowsOf(request);
  return { matrix: result.matrix, complete, ...report };
}

/** Executes matrices. The thread of a matrix computes it alone. */
export function matrixInThread(): Execute<MatrixJob> {
  return async (request, { onProgress, ...execution }) => {
    let partial: MatrixResult | null = null;
    const result = await executeInWorker<MatrixMessage, MatrixResult>(MATRIX_WORKER, request.body, {
      ...execution,
      onProgress: (message) => {
        if (message.partial === undefined) onProgress(message.progress);
        else partial = message.partial;
      },
    });
    const found = result ?? partial;
    if (found === null) throw new DOMException('terminated', 'AbortError');
    return found;
  };
}

const MATRIX_WORKER = new URL('./worker.ts', import.meta.url);
