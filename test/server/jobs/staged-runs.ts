/**
 * @module
 * A lab whose runs end when the test says so.
 */

import type { Execute } from '../../../server/jobs/job-kind.ts';
import type { OperationJob } from '../../../server/jobs/operations/operation-job.ts';
import type { RunReport } from '../../../src/experiment/verdict/report.ts';
import { labUnderTest } from '../lab-under-test.ts';

/** A lab whose runs end when the test says so. */
export function stagedRuns(options: Parameters<typeof labUnderTest>[0] = {}) {
  const started: {
    readonly resolve: (report: RunReport) => void;
    readonly signal: AbortSignal;
  }[] = [];
  const execute: Execute<OperationJob> = (_request, { signal }) => {
    const { promise, resolve } = Promise.withResolvers<RunReport>();
    started.push({ resolve, signal });
    return promise;
  };
  return { started, ...labUnderTest({ execute, ...options }) };
}
