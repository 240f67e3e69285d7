/**
 * @module
 * Plain JSON data, as states, messages and records must be. Every copy and every file keeps such a value as it is.
 */

import type { Json } from '../machine.ts';

/** Deeper data is refused, and so is data that contains itself. */
const DEPTH_MAX = 200;

/**
 * The path of the first part that JSON changes: undefined, a function, NaN, -0, an object of a class, a
 * getter, a hidden or symbol member, a hole in a list, or data that is too deep. Null if there is none.
 */
export function unplainIn(value: unknown, path: string): string | null {
  const below = unplainBelow(value, 0);
  return below === null ? null : path + below;
}

/** The rest of the path, which is built on the way back: most data is plain and needs no path. */
function unplainBelow(value: unknown, depth: number): string | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null;
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0) ? null : '';
  if (typeof value !== 'object' || depth > DEPTH_MAX) return '';
  const isList = Array.isArray(value);
  const prototype = isList ? Array.prototype : Object.prototype;
  if (Object.getPrototypeOf(value) !== prototype) return '';
  const names = Reflect.ownKeys(value);
  // A list also has its length.
  if (isList && names.length !== value.length + 1) return '';
  for (const name of names) {
    if (isList && name === 'length') continue;
    const found = Reflect.getOwnPropertyDescriptor(value, name);
    const isMember = typeof name === 'string' && found?.enumerable === true && 'value' in found;
    const below = isMember ? unplainBelow(found.value, depth + 1) : '';
    if (below !== null) return `.${String(name)}${below}`;
  }
  return null;
}

/** Plain data that nothing can change any more, in all its parts. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) frozen(part);
    Object.freeze(value);
  }
  return value;
}

/** A copy of plain data that shares nothing with it. */
export function copyJson<T>(value: T): T;
export function copyJson(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(copyJson);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, copyJson(entry)]));
}
