/**
 * @module
 * This folder contains what stands for Node in a browser: the modules of Node that the server and its threads use. The
 * package unenv has the others. This file has the global values. The bundler imports them where they are used.
 */

import nodeProcess from 'node:process';

export { Buffer } from 'node:buffer';

/** A browser has no clock for the CPU time of one thread. */
export const process = Object.assign(nodeProcess, {
  execArgv: [],
  threadCpuUsage: () => ({ user: 1000 * performance.now(), system: 0 }),
});

export const soon = (done: () => void) => setTimeout(done);
export const notSoon = (timer: number) => clearTimeout(timer);

const { add, load, store } = globalThis.Atomics;
const isShared = typeof globalThis.SharedArrayBuffer !== 'undefined';

/**
 * A page of an ordinary web server shares no memory between threads. Each thread has a copy then, which no other one
 * changes, so that nothing waits for it.
 */
export const sharedBuffer = isShared ? globalThis.SharedArrayBuffer : ArrayBuffer;
export const atomics = isShared
  ? globalThis.Atomics
  : { add, load, store, wait: () => 'not-equal', notify: () => 0 };
