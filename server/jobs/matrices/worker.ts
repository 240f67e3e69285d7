/**
 * @module
 * The thread of one matrix. It sends what it has after each row, so that a cancelled matrix keeps its rows.
 */

import { setImmediate } from 'node:timers/promises';
import type { PlayedRow } from '../../../src/experiment/attack/matrix.ts';
import type { AttackMatrix } from '../../../src/experiment/attack/matrix-report.ts';
import { runAttackMatrix } from '../../../src/experiment/attack/matrix-report.ts';
import type { FaultMatrixRow } from '../../../src/simulation/conform/fault-matrix.ts';
import { faultMatrix } from '../../../src/simulation/conform/fault-matrix.ts';
import type { Execution } from '../job-kind.ts';
import { answerJob, rateLimited } from '../worker-job.ts';
import type { MatrixMessage, MatrixResult } from './matrix.ts';
import { rowsOf } from './matrix.ts';
import type { WholeMatrix } from './request.ts';
import type { MatrixRun } from './shown-runs.ts';
import { attackRuns, faultRuns } from './shown-runs.ts';

await answerJob<WholeMatrix, MatrixMessage, MatrixResult>((request, execution) =>
  request.matrix === 'attack' ? attacks(request, execution) : faults(request, execution),
);

async function attacks(
  request: WholeMatrix & { readonly matrix: 'attack' },
  { onProgress, signal }: Execution<MatrixMessage>,
): Promise<MatrixResult> {
  const report = rateLimited(onProgress);
  const { seed, sets, protocols } = request;
  const total = rowsOf(request);
  const shown: (readonly MatrixRun[])[] = [];
  let done = 0;
  const found = await runAttackMatrix(
    { seed, protocols, hasSets: sets },
    async ({ phase, attack, protocol }) => {
      const now = phase === 'attacks' ? attack : `defences against ${attack}`;
      report(() => ({ progress: { done, total, now: `${now} on ${protocol}` } }));
      await setImmediate();
      return !signal.aborted;
    },
    (matrix) => {
      done = matrix.rows.length + matrix.sets.length;
      const row = matrix.rows[shown.length];
      if (row !== undefined) shown.push(attackRuns(row));
      onProgress({ partial: attackResult(matrix, shown) });
    },
  );
  return attackResult(found, shown);
}

/** The matrix. The options of its runs are in `shown`, as an election has them. */
function attackResult(
  { rows, ...matrix }: AttackMatrix<PlayedRow>,
  shown: readonly (readonly MatrixRun[])[],
): MatrixResult {
  const bare = rows.map(({ protocol, cells }) => ({ protocol, cells }));
  return { matrix: 'attack', found: { ...matrix, rows: bare }, shown: shown.flat() };
}

async function faults(
  { protocols, runs, starts }: WholeMatrix & { readonly matrix: 'fault' },
  { onProgress, signal }: Execution<MatrixMessage>,
): Promise<MatrixResult> {
  const report = rateLimited(onProgress);
  const done: FaultMatrixRow[] = [];
  const shown: MatrixRun[] = [];
  const result = { matrix: 'fault', runs, rows: done, shown } as const;
  const total = protocols.length;
  const rows = faultMatrix({ protocols, runs, starts }, async ({ protocol, fault }) => {
    report(() => ({
      progress: { done: done.length, total, now: `${fault} on ${protocol}` },
    }));
    await setImmediate();
    return !signal.aborted;
  });
  for await (const row of rows) {
    done.push({ protocol: row.protocol, cells: row.cells });
    shown.push(...faultRuns(row, starts));
    onProgress({ partial: result });
  }
  return result;
}
