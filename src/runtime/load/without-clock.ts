/**
 * @module
 * Code of the user that must be a function of its arguments runs without clock and chance.
 */

import nodeCrypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';

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

/** Makes clock and chance throw while the work runs, so that a use of them is found at once. `who` does the work. */
export function withoutClock<T>(who: string, work: () => T): T {
  const saved = SOURCES.map(([owner, name]) => Reflect.getOwnPropertyDescriptor(owner, name));
  try {
    for (const [owner, name, label] of SOURCES) {
      const value = refusing(Reflect.get(owner, name), who, label);
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
function refusing(source: object, who: string, label: string): object {
  const refuse = (): never => {
    throw new TypeError(`${who} calls ${label}; time and chance are events of a driver`);
  };
  return new Proxy(source, {
    apply: refuse,
    construct: (target, args, made) =>
      args.length === 0 ? refuse() : Reflect.construct(Object(target), args, made),
  });
}
