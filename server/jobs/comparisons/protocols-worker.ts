/**
 * @module
 * The thread of one comparison of protocols.
 */

import type { HeldComparison, ProtocolComparison } from '../../../src/runtime/elect/compare.ts';
import { compareProtocols } from '../../../src/runtime/elect/compare.ts';
import { answerJob, rateLimited } from '../worker-job.ts';

await answerJob<ProtocolComparison, number, HeldComparison>(
  (comparison, { onProgress, signal }) => {
    const report = rateLimited(onProgress);
    const watcher = { note: () => undefined, progress: () => undefined, signal };
    return compareProtocols(comparison, watcher, { onSeed: (runs) => report(() => runs) });
  },
);
