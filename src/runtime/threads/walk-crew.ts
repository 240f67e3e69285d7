/**
 * @module
 * The threads of random walks. This thread carries out walks, too. The others are started when it has carried out some
 * batches alone, because few walks take less time than the start of a thread.
 */

import type { MessagePort } from 'node:worker_threads';
import { receiveMessageOnPort } from 'node:worker_threads';
import type { CheckRequest } from '../../checking/check-request.ts';
import type { WalkBatch, Walkers } from '../../checking/walks/batches.ts';
import { batchSize } from '../../checking/walks/batches.ts';
import type { WalkPlan } from '../../checking/walks/random-walks.ts';
import type { StepWatch } from '../load/step-watch.ts';
import type { Helper } from './search-crew.ts';
import { endHelpers, startHelper } from './search-crew.ts';

/** Integers that the threads share: the next walk, and how many batches were posted. */
export const WALKS_AT = { next: 0, posted: 1 } as const;

/** What a thread is started with. */
export interface WalkerData {
  readonly request: CheckRequest;
  readonly plan: WalkPlan;
  readonly control: Int32Array;
  /** Where batches are posted. */
  readonly port: MessagePort;
  /** Where its calls of code of the user are written. */
  readonly watch: StepWatch | null;
}

const WALK_WORKER = new URL('./walk-worker.ts', import.meta.url);
/** Batches that are carried out before other threads start. */
const BATCHES_ALONE = 4;
/** How long the leading thread waits for a batch at a time. */
const WAIT_MS = 100;

/** Threads that walk, and what ends them. */
export interface StartedWalkers {
  readonly walkers: Walkers | undefined;
  readonly close: () => Promise<void>;
}

/** Threads for the walks of a request. With one thread there are none. */
export function createWalkers(
  request: CheckRequest,
  plan: WalkPlan,
  threads: number,
  batchesAlone: number = BATCHES_ALONE,
): StartedWalkers {
  if (threads === 1) return { walkers: undefined, close: () => Promise.resolve() };
  const control = new Int32Array(new SharedArrayBuffer(8));
  const helpers: Helper[] = [];
  const size = batchSize(plan);
  let alone = 0;
  let failure: unknown = null;
  const start = () => {
    for (let thread = 1; thread < threads; thread += 1) {
      const helper = startHelper<WalkerData>(WALK_WORKER, { request, plan, control });
      helper.worker.on('error', (error) => {
        failure = error;
      });
      helpers.push(helper);
    }
  };
  return {
    walkers: {
      next() {
        if (alone === batchesAlone) start();
        alone += 1;
        return Atomics.add(control, WALKS_AT.next, size);
      },
      received(mayWait) {
        if (failure !== null) throw failure;
        const posted = Atomics.load(control, WALKS_AT.posted);
        const batches = helpers.flatMap(({ port }) => receivedOn(port));
        if (batches.length > 0 || !mayWait) return batches;
        Atomics.wait(control, WALKS_AT.posted, posted, WAIT_MS);
        return helpers.flatMap(({ port }) => receivedOn(port));
      },
    },
    close: () => endHelpers(helpers),
  };
}

function receivedOn(port: MessagePort): WalkBatch[] {
  const batches: WalkBatch[] = [];
  for (;;) {
    const received = receiveMessageOnPort(port);
    if (received === undefined) return batches;
    // The threads post nothing else.
    batches.push(received.message as WalkBatch);
  }
}
