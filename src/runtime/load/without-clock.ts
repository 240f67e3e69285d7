/**
 * @module
 * Code of the user that must be a function of its arguments runs without clock and chance.
 */

import nodeCrypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';

type Source = readonly [owner: object, name: string, label: string];

/** Where a program gets time or chance from. A member comes before the object that it belongs to. */
const SOURCES: readonly Source[] = [
  [Math, 'random', 'Math.random'],
  [Date, 'now', 'Date.now'],
  [globalThis, 'Date', 'Date'],
  [performance, 'now', 'performance.now'],
  [crypto, 'randomUUID', 'crypto.randomUUID'],
  [crypto, 'getRandomValues', 'crypto.getRandomValues'],
];

/** The same in modules of Node. Other modules import them by name. */
const EXPORTS: readonly Source[] = [
  [process.hrtime, 'bigint', 'process.hrtime.bigint'],
  [process, 'hrtime', 'process.hrtime'],
  [nodeCrypto, 'randomUUID', 'crypto.randomUUID'],
  [nodeCrypto, 'randomBytes', 'crypto.randomBytes'],
  [nodeCrypto, 'randomInt', 'crypto.randomInt'],
];

/** Who works without clock and chance at the moment. */
let worker: string | null = null;

/**
 * Whether a call is the 1st, 2nd, 4th, 8th … Only these are examined: without clock and chance, and once more with the
 * same arguments. Both take time.
 */
export function isSampled(call: number): boolean {
  return (call & (call - 1)) === 0;
}

/** Makes clock and chance throw while the work runs, so that a use of them is found at once. `who` does the work. */
export function withoutClock<T>(who: string, work: () => T): T {
  const outer = worker;
  worker = who;
  try {
    return outer === null ? withoutSources(work) : work();
  } finally {
    worker = outer;
  }
}

/** Lets a part of such work use clock and chance: one that is not the user's. */
export function withClock(work: () => void): void {
  const outer = worker;
  worker = null;
  try {
    work();
  } finally {
    worker = outer;
  }
}

/** Makes clock and chance throw for good, in a process that does no other work. */
export function endClock(who: string): void {
  worker = who;
  guardExports();
  for (const source of SOURCES) guard(source);
  // A date that was made of a given time has it, too.
  Object.defineProperty(Date.prototype, 'constructor', { value: Date });
}

function withoutSources<T>(work: () => T): T {
  guardExports();
  const saved = SOURCES.map(([owner, name]) => Reflect.getOwnPropertyDescriptor(owner, name));
  try {
    for (const source of SOURCES) guard(source);
    return work();
  } finally {
    for (const [index, [owner, name]] of SOURCES.entries()) {
      const before = saved[index];
      if (before === undefined) Reflect.deleteProperty(owner, name);
      else Object.defineProperty(owner, name, before);
    }
  }
}

/** The guards of exports stay, because each change of them takes Node a millisecond. */
function guardExports(): void {
  const open = EXPORTS.filter(([owner, name]) => !guards.has(Reflect.get(owner, name)));
  if (open.length === 0) return;
  for (const source of open) guard(source);
  syncBuiltinESMExports();
}

const guards = new WeakSet<object>();

/** Puts a function in its place that throws when it is called during such work. A date of a given time can still be made. */
function guard([owner, name, label]: Source): void {
  const assertFree = () => {
    if (worker === null) return;
    throw new TypeError(`${worker} calls ${label}; time and chance are events of a driver`);
  };
  const value = new Proxy(Reflect.get(owner, name), {
    apply(target, self, args) {
      assertFree();
      return Reflect.apply(target, self, args);
    },
    construct(target, args, made) {
      if (args.length === 0) assertFree();
      return Reflect.construct(target, args, made);
    },
  });
  guards.add(value);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
}
