/**
 * @module
 * One thread that helps a check to explore (checking/visited/crew.ts).
 */

import type { MessagePort } from 'node:worker_threads';
import { receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { CheckRequest } from '../../checking/check-request.ts';
import { searchOptionsOf } from '../../checking/check-request.ts';
import type { Memory } from '../../checking/state-store.ts';
import { StateStore } from '../../checking/state-store.ts';
import type { CrewMemory } from '../../checking/visited/crew.ts';
import { help, Member } from '../../checking/visited/member.ts';
import { searchParts } from '../../checking/visited/parts.ts';
import type { StepWatch } from '../load/step-watch.ts';
import { beginWatch } from '../load/step-watch.ts';

export interface HelperData {
  readonly thread: number;
  readonly request: CheckRequest;
  readonly memory: CrewMemory;
  /** Where the buffers of the store come from. */
  readonly port: MessagePort;
  /** Where its calls of code of the user are written. */
  readonly watch: StepWatch | null;
}

// The leading thread starts this one with these data.
const { thread, request, memory, port, watch } = workerData as HelperData;
beginWatch(watch);
const store = new StateStore(false);
const limits = { statesMax: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY };
const member = new Member(thread, memory, searchParts(searchOptionsOf(request, limits), store));

help(member, new Int32Array(memory.control), () => {
  for (;;) {
    const received = receiveMessageOnPort(port);
    if (received === undefined) break;
    // The leading thread posts nothing else.
    store.useMemory(received.message as Memory);
  }
});
