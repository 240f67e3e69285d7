/**
 * @module
 * The thread of one comparison of protocols.
 */

import { pauses } from '../../../src/runtime/threads/clocks.ts';
import type {
  HeldComparison,
  ProtocolComparison,
} from '../../../src/simulation/request/compare.ts';
import { compareProtocols } from '../../../src/simulation/request/compare.ts';
import { answerJob, rateLimited } from '../worker-job.ts';

await answerJob<ProtocolComparison, number, HeldComparison>(
  (comparison, { onProgress, signal }) => {
    const report = rateLimited(onProgress);
    const silent = { note: () => undefined, progress: () => undefined };
    const watcher = { ...silent, pause: pauses(), signal };
    return compareProtocols(comparison, watcher, { onSeed: (runs) => report(() => runs) });
  },
);
