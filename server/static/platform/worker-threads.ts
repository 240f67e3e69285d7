/**
 * @module
 * `node:worker_threads` by the threads of a browser. A thread receives its data as its first message, and its code waits
 * for them.
 */

import { EventEmitter } from 'node:events';
import type { WorkerOptions as NodeOptions } from 'node:worker_threads';

/** The name of the threads that this module starts. */
const THREAD = 'usurp-thread';

interface Begun {
  readonly workerData: unknown;
  readonly environment: ReadonlyMap<unknown, unknown>;
}

/** What threads and their starters do with messages. */
interface Messages {
  postMessage(message: unknown, transferred?: Transferable[]): void;
}

const isThread = self.name === THREAD;

/** Messages that arrived before anything listened to them. */
const early: unknown[] = [];
const begun = isThread ? await firstMessage() : null;

function firstMessage(): Promise<Begun> {
  return new Promise((resolve) => {
    let isFirst = true;
    addEventListener('message', ({ data }) => {
      if (isFirst) resolve(data);
      else if (port?.emit('message', data) !== true) early.push(data);
      isFirst = false;
    });
  });
}

class Port extends EventEmitter implements Messages {
  postMessage(message: unknown, transferred: Transferable[] = []): void {
    // The global object of a thread posts to the one that started it, without an origin.
    (globalThis as Messages).postMessage(message, transferred);
  }
}

const port = isThread ? new Port() : null;
port?.on('newListener', () => {
  queueMicrotask(() => {
    if (port.listenerCount('message') === 0) return;
    for (const message of early.splice(0)) port.emit('message', message);
  });
});

export const isMainThread = !isThread;
export const parentPort = port;
export const workerData = begun?.workerData;

const environment = new Map(begun?.environment);

export function getEnvironmentData(key: unknown): unknown {
  return environment.get(key);
}

export function setEnvironmentData(key: unknown, value: unknown): void {
  environment.set(key, value);
}

/** A thread of the browser. Limits of resources are those of the browser. */
export class Worker extends EventEmitter implements Messages {
  readonly #worker: globalThis.Worker;

  constructor(script: URL, { workerData: data }: Pick<NodeOptions, 'workerData'> = {}) {
    super();
    this.#worker = new globalThis.Worker(script, { type: 'module', name: THREAD });
    this.#worker.addEventListener('message', (event) => this.emit('message', event.data));
    this.#worker.addEventListener('error', ({ message }) => this.emit('error', new Error(message)));
    this.#worker.postMessage({ workerData: data, environment } satisfies Begun);
  }

  postMessage(message: unknown, transferred: Transferable[] = []): void {
    this.#worker.postMessage(message, transferred);
  }

  async terminate(): Promise<void> {
    this.#worker.terminate();
  }

  unref(): void {
    // A page ends its threads when it is closed.
  }
}
