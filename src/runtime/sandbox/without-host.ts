/**
 * @module
 * Leaves a submission the language and nothing of Node. What Node adds has times, data of the machine, chance, or a way to
 * more of Node, which a submission could write into a report. Only the process of a submission does so: nothing gives it
 * back.
 */

import { setTimeout } from 'node:timers';
import { endClock } from '../load/without-clock.ts';

/**
 * Globals of the language whose results depend only on their arguments, and two that do in other forms. Typed arrays do not:
 * they have memory outside of the heap, so that it differs from run to run whether one that is too large is an error or the end
 * of the process, and their bytes show the processor. What exceeds the heap always ends the process.
 */
const KEPT = [
  ...['globalThis', 'undefined', 'NaN', 'Infinity', 'eval', 'isFinite', 'isNaN', 'parseFloat'],
  ...['parseInt', 'decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'escape'],
  ...['unescape', 'Object', 'Function', 'Boolean', 'Symbol', 'Number', 'BigInt', 'Math', 'Date'],
  ...[
    'String',
    'RegExp',
    'Array',
    'Map',
    'Set',
    'WeakMap',
    'WeakSet',
    'Iterator',
    'JSON',
    'Promise',
  ],
  ...['Reflect', 'Proxy', 'DisposableStack', 'AsyncDisposableStack', 'Error', 'AggregateError'],
  ...['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'],
  ...['SuppressedError', 'console', 'setTimeout'],
];

/** What the language has without a global name. */
const NAMELESS: readonly object[] = [
  ...[async () => undefined, function* () {}, async function* () {}, [].values()],
  ...[''[Symbol.iterator](), new Map().keys(), new Set().keys(), ''.matchAll(/x/g)],
  // The library of the compiler has no iterator helpers.
  Reflect.apply(Reflect.get([].values(), 'take'), [].values(), [0]),
  Reflect.apply(Reflect.get(Reflect.get(globalThis, 'Iterator'), 'from'), null, [{ next() {} }]),
];

/** What the global object inherits before Object.prototype. */
const GLOBAL_PROTOTYPE: unknown = Object.getPrototypeOf(globalThis);

/** What errors and other objects inherit, and are often given as their own. */
const OVERRIDDEN = [Object, Error, AggregateError, EvalError, RangeError, ReferenceError]
  .concat([SyntaxError, TypeError, URIError])
  .map(({ prototype }) => prototype);

/**
 * From now on this process has no clock, no chance, no data of the machine, and no module of Node. Nothing of the language
 * can be replaced, so that no code of Node or of the lab calls the submission in its place. A timer keeps the process alive
 * and never ends.
 */
export function withoutHost(who: string): void {
  endClock(who);
  const kept = new Set<PropertyKey>(KEPT);
  const silent = Object.keys(console).map((name) => [name, () => undefined]);
  define(globalThis, 'console', Object.fromEntries(silent));
  define(globalThis, 'setTimeout', () => void setTimeout(() => undefined, LONGEST_MS));
  for (const name of Reflect.ownKeys(globalThis)) {
    if (kept.has(name)) define(globalThis, name, Reflect.get(globalThis, name));
    else if (!Reflect.deleteProperty(globalThis, name)) {
      throw new TypeError(`"globalThis" expected no ${String(name)}`);
    }
  }
  // A global of the submission could stand in the place of one that is gone.
  Object.preventExtensions(globalThis);
  for (const prototype of OVERRIDDEN) makeOverridable(prototype);
  freezeAll([...KEPT.map((name) => Reflect.get(globalThis, name)), ...NAMELESS, GLOBAL_PROTOTYPE]);
}

const LONGEST_MS = 2 ** 31 - 1;

function define(owner: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(owner, name, { value, writable: false, configurable: false });
}

/** An assignment to an object fails if it inherits a frozen member of this name, but not if it inherits a setter. */
function makeOverridable(prototype: object): void {
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const { value, enumerable = false } = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
    if (value === undefined) continue;
    // `freezeAll` does not see what a getter returns.
    Object.freeze(value);
    Object.defineProperty(prototype, name, {
      get: () => value,
      set(own: unknown) {
        const member = { value: own, writable: true, enumerable: true, configurable: true };
        Object.defineProperty(this, name, member);
      },
      enumerable,
    });
  }
}

/** Freezes these values and all that they lead to. */
function freezeAll(values: readonly unknown[]): void {
  const found = new Set<unknown>(values);
  for (const value of found) {
    if (value === globalThis || !isObject(value)) continue;
    found.add(Object.getPrototypeOf(value));
    for (const key of Reflect.ownKeys(value)) {
      const { get, set, value: member } = Object.getOwnPropertyDescriptor(value, key) ?? {};
      found.add(get).add(set).add(member);
    }
    Object.freeze(value);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'function' || (typeof value === 'object' && value !== null);
}
