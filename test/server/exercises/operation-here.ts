/**
 * @module
 * Executes operations in the thread of the test. A thread for the check of every student would take most of the time.
 */

import type { Execute } from '../../../server/jobs/job-kind.ts';
import type { OperationJob } from '../../../server/jobs/operations/operation-job.ts';
import { operationNamed } from '../../../src/operations/registry.ts';
import { parseSeed } from '../../../src/random.ts';
import { THIS_MACHINE } from '../../../src/runtime/sweep/machine.ts';

export const operationHere: Execute<OperationJob> = async ({ name, body }, { signal }) => {
  const output = await operationNamed(name).run(body, {
    ...{ threads: 1, isRemote: true, machine: THIS_MACHINE, signal },
    ...{ onProgress: () => undefined, onPartial: () => undefined, onNote: () => undefined },
    seedFor: () => parseSeed('1'),
  });
  if (output === null) throw new DOMException('terminated', 'AbortError');
  return output;
};
