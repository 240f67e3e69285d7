/**
 * @module
 * The thread of an operation. It starts the threads that the operation uses.
 */

import { operationNamed } from '../../../src/operations/registry.ts';
import { THIS_MACHINE } from '../../../src/runtime/sweep/machine.ts';
import { seedOf } from '../../contract/members.ts';
import { answerJob, rateLimited } from '../worker-job.ts';
import type { OperationMessage, OperationOrder } from './operation-job.ts';

await answerJob<OperationOrder, OperationMessage, { readonly replay: string } | null>(
  ({ name, input, threads, secretSeed }, { onProgress, signal }) => {
    const report = rateLimited(onProgress);
    return operationNamed(name).run(input, {
      threads,
      signal,
      isRemote: true,
      machine: THIS_MACHINE,
      onProgress: ({ details, ...progress }) =>
        report(() => ({ type: 'progress', progress: { ...progress, ...details?.() } })),
      // The output has all that a caller reads.
      onNote: () => undefined,
      onPartial: (partial) => onProgress({ type: 'partial', partial }),
      onSecret: (secret) => onProgress({ type: 'secret', secret }),
      seedFor: (given) => (given === undefined && secretSeed ? secretSeed : seedOf(given)),
    });
  },
);
