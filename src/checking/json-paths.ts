/**
 * @module
 * Numbers at paths in JSON data, as definitions state them: members joined by dots, where `*` stands for each member of
 * a list or table, and a `#` at the end for the names of the members of a table.
 */

import type { Json } from '../election/machine.ts';

/** A copy of JSON data in which the numbers at a path are changed. */
export function changedAt(data: Json, path: string, change: (value: number) => number): Json {
  const walk = (value: Json, members: readonly string[]): Json => {
    const [member, ...rest] = members;
    if (member === undefined) return typeof value === 'number' ? change(value) : value;
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) {
      return member === '*' ? value.map((part: Json) => walk(part, rest)) : value;
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) =>
        member === '#'
          ? [String(change(Number(name))), part]
          : [name, member === '*' || member === name ? walk(part, rest) : part],
      ),
    );
  };
  return walk(data, path.split('.'));
}
