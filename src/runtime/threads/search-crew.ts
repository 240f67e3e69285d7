/**
 * @module
 * The threads of a check. This thread leads them. They load while it explores alone.
 */

import type { MessagePort } from 'node:worker_threads';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { CheckRequest } from '../../checking/check-request.ts';
import { Crew, crewMemory } from '../../checking/visited/crew.ts';
import { threadArguments, threadScript } from '../load/load-definitions.ts';
import type { StepWatch } from '../load/step-watch.ts';
import { leaveSlot, takeSlot } from '../load/step-watch.ts';
import type { HelperData } from './search-worker.ts';

/** A crew, and what ends its threads. */
export interface StartedCrew {
  readonly crew: Crew | undefined;
  readonly close: () => Promise<void>;
}

/** A thread that helps this one. */
export interface Helper {
  readonly worker: Worker;
  readonly port: MessagePort;
  /** Where its calls of code of the user are written. */
  readonly watch: StepWatch | null;
}

const SEARCH_WORKER = new URL('./search-worker.ts', import.meta.url);
/** A smaller part of a level is explored sooner by one thread. */
const WORLDS_MIN = 4096;

/** Threads that help one search of this request, when it becomes large. With one thread there is no crew. */
export function createCrew(
  request: CheckRequest,
  threads: number,
  worldsMin: number = WORLDS_MIN,
): StartedCrew {
  if (threads === 1) return { crew: undefined, close: () => Promise.resolve() };
  const memory = crewMemory(threads, request.properties.length);
  const helpers: Helper[] = [];
  const crew = new Crew(memory, {
    worldsMin,
    start() {
      for (let thread = 1; thread < threads; thread += 1) {
        helpers.push(startHelper<HelperData>(SEARCH_WORKER, { thread, request, memory }));
      }
    },
    post(made) {
      for (const { port } of helpers) port.postMessage(made);
    },
  });
  return {
    crew,
    close: () => endHelpers(helpers),
  };
}

/** Starts a thread with these data, a port to this thread, and a watch of its calls of code of the user. */
export function startHelper<Data extends Pick<Helper, 'port' | 'watch'>>(
  script: URL,
  data: Omit<Data, 'port' | 'watch'>,
): Helper {
  const { port1, port2 } = new MessageChannel();
  const watch = takeSlot();
  const worker = new Worker(threadScript(script), {
    workerData: { ...data, port: port2, watch },
    transferList: [port2],
    execArgv: [...process.execArgv, ...threadArguments()],
  });
  return { worker, port: port1, watch };
}

/** Ends the threads. */
export async function endHelpers(helpers: readonly Helper[]): Promise<void> {
  await Promise.all(helpers.map(({ worker }) => worker.terminate()));
  for (const { port, watch } of helpers) {
    port.close();
    leaveSlot(watch);
  }
}
