/**
 * @module
 * One thread that carries out random walks of a check (checking/walks/batches.ts).
 */

import { workerData } from 'node:worker_threads';
import { judgedOf } from '../../checking/check-request.ts';
import { batchSize, walkBatch } from '../../checking/walks/batches.ts';
import { RandomWalks } from '../../checking/walks/random-walks.ts';
import { beginWatch } from '../load/step-watch.ts';
import type { WalkerData } from './walk-crew.ts';
import { WALKS_AT } from './walk-crew.ts';

// The leading thread starts this one with these data.
const { request, plan, control, port, watch } = workerData as WalkerData;
beginWatch(watch);
const walks = new RandomWalks(judgedOf(request), plan);
for (;;) {
  const from = Atomics.add(control, WALKS_AT.next, batchSize(plan));
  if (from >= plan.count) break;
  const batch = walkBatch(walks, from, plan);
  port.postMessage(batch);
  Atomics.add(control, WALKS_AT.posted, 1);
  Atomics.notify(control, WALKS_AT.posted);
  if (batch.end !== null) break;
}
