/**
 * @module
 * The API whose answers are recorded as examples: a server without a socket that carries jobs out. It does not
 * measure the speed of the machine, but returns the rates that were recorded before.
 */

import manifest from '../../../package.json' with { type: 'json' };
import { createApp } from '../../../server/app.ts';
import { ClaimChecks } from '../../../server/claims/claim-checks.ts';
import { RECORDED } from '../../../server/contract/openapi/document.ts';
import type { Router } from '../../../server/contract/router.ts';
import { ElectionStore } from '../../../server/elections/storage/store.ts';
import { createJobs, executeInThreads } from '../../../server/jobs/jobs.ts';
import type { OperationJob } from '../../../server/jobs/operations/operation-job.ts';
import { typeNameOf } from '../../../server/jobs/operations/operation-job.ts';
import { SweepFolders } from '../../../server/jobs/sweeps/folders.ts';
import { Lifecycle } from '../../../server/request/lifecycle.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { operationNamed } from '../../../src/operations/registry.ts';
import { readCatalogue } from '../../../src/runtime/files/catalogue.ts';
import { paperNames } from '../../../src/runtime/files/papers.ts';
import { VERIFIER_HERE } from '../claims/verifier-here.ts';
import { stagedClusters } from '../clusters/staged-clusters.ts';
import { shownCourse, shownReading } from '../exercises/shown-class.ts';

export async function recordedLab(): Promise<{
  readonly app: Router;
  readonly close: () => Promise<void>;
}> {
  const nowMs = () => 0;
  const onFault = ({ error }: { readonly error: unknown }) => {
    throw error;
  };
  const folders = new SweepFolders();
  const components: Readonly<Record<string, unknown>> = RECORDED.components;
  /** The recorded results of what measures time. The name of a component states its schema. */
  const recorded = (name: string) => {
    const job = components[`${typeNameOf(name)}Job`];
    return operationNamed(name).measuresTime
      ? (job as { readonly result: OperationJob['result'] } | undefined)?.result
      : undefined;
  };
  const executions = executeInThreads(1, folders);
  const operation: typeof executions.operation = async (request, execution) =>
    recorded(request.name) ?? executions.operation(request, execution);
  const jobs = createJobs(
    { concurrent: 1 },
    {
      executions: { ...executions, operation },
      ...{ folders, onFault, nowMs },
    },
  );
  const elections = new ElectionStore();
  const app = createApp({
    version: manifest.version,
    policy: STRICT_POLICY,
    admission: new ClaimChecks({ verifiers: VERIFIER_HERE, nowMs }),
    threatModels: await readCatalogue(),
    papers: await paperNames(),
    ...{ course: shownCourse(), readClass: shownReading },
    elections,
    jobs,
    clusters: stagedClusters(),
    servesHost: () => true,
    lifecycle: new Lifecycle('ready'),
    onFault,
  });
  const close = async () => {
    elections.close();
    await jobs.close();
  };
  return { app, close };
}
