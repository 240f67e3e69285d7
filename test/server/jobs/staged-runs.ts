/**
 * @module
 * A lab whose runs end when the test says so.
 */

import type { Execute } from '../../../server/jobs/job-kind.ts';
import type { RunJob } from '../../../server/jobs/run.ts';
import type { RunReport } from '../../../src/experiment/verdict/report.ts';
import { labUnderTest } from '../lab-under-test.ts';

/** A lab whose runs end when the test says so. */
export function stagedRuns(options: Parameters<typeof labUnderTest>[0] = {}) {
  const started: {
    readonly resolve: (report: RunReport) => void;
    readonly signal: AbortSignal;
  }[] = [];
  const execute: Execute<RunJob> = (_request, { signal }) => {
    const { promise, resolve } = Promise.withResolvers<RunReport>();
    started.push({ resolve, signal });
    return promise;
  };
  return { started, ...labUnderTest({ execute, ...options }) };
}
