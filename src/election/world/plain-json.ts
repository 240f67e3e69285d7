/**
 * @module
 * Plain JSON data, as states, messages and records must be. Every copy and every file keeps such a value as it is.
 */

/** Deeper data is refused, and so is data that contains itself. */
const DEPTH_MAX = 200;

/**
 * The path of the first part that JSON changes: undefined, a function, NaN, -0, an object of a class, a
 * getter, a hidden or symbol member, a hole in a list, or data that is too deep. Null if there is none.
 */
export function unplainIn(value: unknown, path: string, depth = 0): string | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null;
  if (typeof value === 'number') {
    return Number.isFinite(value) && !Object.is(value, -0) ? null : path;
  }
  if (typeof value !== 'object' || depth > DEPTH_MAX) return path;
  const isList = Array.isArray(value);
  const prototype = isList ? Array.prototype : Object.prototype;
  if (Object.getPrototypeOf(value) !== prototype) return path;
  const names = Reflect.ownKeys(value).filter((name) => !isList || name !== 'length');
  if (isList && names.length !== value.length) return path;
  for (const name of names) {
    const part = `${path}.${String(name)}`;
    const found = Reflect.getOwnPropertyDescriptor(value, name);
    if (typeof name === 'symbol' || found?.enumerable !== true || !('value' in found)) return part;
    const unplain = unplainIn(found.value, part, depth + 1);
    if (unplain !== null) return unplain;
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
