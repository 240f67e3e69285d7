/**
 * @module
 * The thread in which `usurp conform` runs the checks of one protocol. It posts the name of each check before
 * the check, so that a check that never ends is known, and all findings at the end.
 */

import nodeCrypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import { parentPort, workerData } from 'node:worker_threads';

import { findProtocol } from '../../election/registry.ts';
import type { Seed } from '../../random.ts';
import { conform } from '../../simulation/conform/conform.ts';
import type { Finding } from '../../simulation/conform/finding.ts';
import { observeChecks } from '../../simulation/conform/finding.ts';

/** What the thread checks. */
export interface ConformOrder {
  readonly name: string;
  readonly seed: Seed;
}

/** What the thread posts: the name of a check that starts, or all findings. */
export type ConformMessage = string | readonly Finding[];

/** Where a program gets time or chance from. A member comes before the object that it belongs to. */
const SOURCES: readonly (readonly [owner: object, name: string, label: string])[] = [
  [Math, 'random', 'Math.random'],
  [Date, 'now', 'Date.now'],
  [globalThis, 'Date', 'Date'],
  [performance, 'now', 'performance.now'],
  [process.hrtime, 'bigint', 'process.hrtime.bigint'],
  [process, 'hrtime', 'process.hrtime'],
  [crypto, 'randomUUID', 'crypto.randomUUID'],
  [crypto, 'getRandomValues', 'crypto.getRandomValues'],
  [nodeCrypto, 'randomUUID', 'crypto.randomUUID'],
  [nodeCrypto, 'randomBytes', 'crypto.randomBytes'],
  [nodeCrypto, 'randomInt', 'crypto.randomInt'],
];

/** Makes clock and chance throw while the machines run, so that a use of them is found at once. */
function withoutClock<T>(work: () => T): T {
  const saved = SOURCES.map(([owner, name]) => Reflect.getOwnPropertyDescriptor(owner, name));
  try {
    for (const [owner, name, label] of SOURCES) {
      const value = refusing(Reflect.get(owner, name), label);
      Object.defineProperty(owner, name, { value, configurable: true, writable: true });
    }
    syncBuiltinESMExports();
    return work();
  } finally {
    for (const [index, [owner, name]] of SOURCES.entries()) {
      const before = saved[index];
      if (before === undefined) Reflect.deleteProperty(owner, name);
      else Object.defineProperty(owner, name, before);
    }
    syncBuiltinESMExports();
  }
}

/** A function that throws when it is called. A date of a given time can still be made. */
function refusing(source: object, label: string): object {
  const refuse = (): never => {
    throw new TypeError(`the machine calls ${label}; time and chance are events of a driver`);
  };
  return new Proxy(source, {
    apply: refuse,
    construct: (target, args, made) =>
      args.length === 0 ? refuse() : Reflect.construct(Object(target), args, made),
  });
}

if (parentPort !== null) {
  const port = parentPort;
  const post = (message: ConformMessage) => port.postMessage(message);
  // The data that conform.ts gives.
  const { name, seed } = workerData as ConformOrder;
  const protocol = findProtocol(name);
  if (protocol === null) throw new TypeError(`"name" expected a protocol, got ${name}`);
  observeChecks(post);
  post(withoutClock(() => conform({ protocol, seed })));
}
