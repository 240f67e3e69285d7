/**
 * @module
 * The verdicts of the last runs that this server still has, by threat model.
 */

import { answerOf, api } from '../api/client.ts';
import type { RunJob, RunReport } from './run/report.ts';

/** The last run of a model of the catalogue as it is there. */
export interface LastRun {
  readonly job: string;
  readonly verdict: RunReport['verdict'];
}

/** The newest run of each model that has a result. Edited models and those with settings do not count. */
export async function loadLastRuns(): Promise<ReadonlyMap<string, LastRun>> {
  const query = { kind: 'run' as const, pageSize: '100' };
  const { items } = await answerOf(api.GET('/v1/jobs', { params: { query } }));
  return lastRunsOf(items.filter((job) => job.kind === 'run'));
}

/** The same of jobs, the newest first. */
export function lastRunsOf(
  jobs: readonly Pick<RunJob, 'id' | 'status' | 'request' | 'result'>[],
): ReadonlyMap<string, LastRun> {
  const found = new Map<string, LastRun>();
  for (const { id, status, request, result } of jobs) {
    const { threatModel, set = {} } = request;
    const isPlain = typeof threatModel === 'string' && Object.keys(set).length === 0;
    if (!isPlain || status !== 'done' || result === undefined || found.has(threatModel)) continue;
    found.set(threatModel, { job: id, verdict: result.verdict });
  }
  return found;
}
