/**
 * @module
 * Copies of states and persisted data: a driver that keeps the old one passes a copy to the machine.
 */

import type { Json } from '../machine.ts';

/** A copy that shares nothing with `value`. */
export function copyJson(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(copyJson);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, copyJson(entry)]));
}
