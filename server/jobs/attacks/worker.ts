/**
 * @module
 * The thread of one attack. It controls the mining threads and watches the elections.
 */

import { planAttack } from '../../../src/experiment/attack/attack.ts';
import type { AttackReport } from '../../../src/experiment/attack/report.ts';
import { carryOutAttack } from '../../../src/runtime/threads/attack.ts';
import { answerJob, rateLimited } from '../worker-job.ts';
import type { AttackMessage, AttackOrder } from './attack.ts';

await answerJob<AttackOrder, AttackMessage, AttackReport>(
  async ({ attack, threads }, { onProgress, signal }) => {
    const report = rateLimited(onProgress);
    return carryOutAttack(planAttack(attack), {
      ...{ threads, signal },
      onProgress: (progress) => report(() => ({ progress })),
      onWatched: (watched) => onProgress({ watched }),
    });
  },
);
