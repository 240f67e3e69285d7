/**
 * @module
 * Executes operations in the thread of the test. A thread for the check of every student would take most of the time.
 */

import type { Execute } from '../../../server/jobs/job-kind.ts';
import type { OperationJob } from '../../../server/jobs/operations/operation-job.ts';
import { inputOf } from '../../../server/jobs/operations/operation-job.ts';
import { mine } from '../../../src/mining/search.ts';
import type { Machine } from '../../../src/operations/machine.ts';
import { operationNamed } from '../../../src/operations/registry.ts';
import { parseSeed } from '../../../src/random.ts';
import { THIS_MACHINE } from '../../../src/runtime/sweep/machine.ts';
import { kernelSource } from '../../../src/runtime/threads/kernels.ts';
import { STOPPED_CLOCKS } from '../../mining/tasks.ts';

const kernels = kernelSource();

const machine: Machine = {
  ...THIS_MACHINE,
  mine: async (task) => ({ task, result: mine(task, STOPPED_CLOCKS, kernels) }),
};

export const operationHere: Execute<OperationJob> = async (request, { signal }) => {
  const output = await operationNamed(request.name).run(inputOf(request), {
    ...{ threads: 1, isRemote: true, machine, signal },
    ...{ onProgress: () => undefined, onPartial: () => undefined, onNote: () => undefined },
    seedFor: () => request.secretSeed ?? parseSeed('1'),
  });
  if (output === null) throw new DOMException('terminated', 'AbortError');
  return output;
};
