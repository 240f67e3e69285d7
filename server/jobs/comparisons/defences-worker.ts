/**
 * @module
 * The thread of one comparison of defences. It controls the threads that compute runs.
 */

import { planComparison } from '../../../src/experiment/compare/outline.ts';
import { comparisonReport } from '../../../src/experiment/compare/report.ts';
import { codeVersion } from '../../../src/runtime/files/code-version.ts';
import { compareDefences } from '../../../src/runtime/sweep/compare.ts';
import { answerJob, rateLimited } from '../worker-job.ts';
import type { DefencesOrder, DefencesProgress, DefencesResult } from './defences.ts';

await answerJob<DefencesOrder, DefencesProgress, DefencesResult>(
  async ({ request, threads }, { onProgress, signal }) => {
    const { file: id, model, question, runs, seed, replay } = request;
    const plan = planComparison(model, question, runs);
    const report = rateLimited(onProgress);
    const total = plan.rows.length;
    const spec = { seed, seedRule: 'paired' as const, codeVersion: codeVersion() };
    const names = { program: 'usurp', loading: [], id, command: replay };
    const { costs, rows, result } = await compareDefences(
      plan,
      { ...names, model, outline: plan.outline, spec },
      {
        ...{ files: null, threads, signal, pictures: false, force: false, retryFailed: false },
        onCosts: (done) => report(() => ({ phase: 'costs', done, total })),
        onProgress: (progress) => {
          if (progress.phase !== 'computing') return;
          const { rowsDone, rows: whole } = progress;
          report(() => ({ phase: 'runs', done: rowsDone, total: whole }));
        },
      },
    );
    // The last progress was perhaps left out.
    if (result?.isComplete === true) {
      onProgress({ phase: 'runs', done: result.rows, total: result.rows });
    } else if (result === null) {
      onProgress({ phase: 'costs', done: costs, total });
    }
    return { complete: rows.length === total, ...comparisonReport(plan, rows) };
  },
);
