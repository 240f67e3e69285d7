/**
 * @module
 * Suggestions for mistyped paths of a threat model. The known members are read from the published JSON Schema,
 * so that suggestions are always accepted.
 */

import type { z } from 'zod';

type Schema = z.core.JSONSchema.JSONSchema;
type Path = readonly string[];

/** Stands for the name of an adversary, which is free. */
const ANY_NAME = '*';

/**
 * The known path nearest to `path`, dotted, by the edit distance of the last member (plus 1 under another
 * parent) or of the whole path. Free names are taken from `path`.
 */
export function nearestPath(schema: Schema, path: Path): string {
  const known = knownPaths(schema).map((candidate) => named(candidate, path));
  let best = { text: '', distance: Number.POSITIVE_INFINITY };
  for (const candidate of known) {
    const distance = pathDistance(candidate, path);
    if (distance < best.distance) best = { text: candidate.join('.'), distance };
  }
  return best.text;
}

/** The first name that begins with `name`, or else the one with the least edit distance. */
export function nearestName(names: readonly string[], name: string): string | undefined {
  const longer = name === '' ? undefined : names.find((each) => each.startsWith(name));
  if (longer !== undefined) return longer;
  return names.toSorted((left, right) => editDistance(left, name) - editDistance(right, name))[0];
}

/** The nearest name in brackets, after a clause that names an unknown one. Empty if no name is near. */
export function meantText(names: readonly string[], name: string): string {
  const near = nearestName(names, name);
  return near === undefined ? '' : ` (did you mean ${near}?)`;
}

/** The members that the object at `path` may have, in the schema's order. */
export function knownMembers(schema: Schema, path: Path): readonly string[] {
  const depth = path.length;
  const members = knownPaths(schema)
    .filter((known) => known.length > depth)
    .filter((known) => path.every((part, at) => known[at] === ANY_NAME || known[at] === part))
    .flatMap((known) => known.slice(depth, depth + 1));
  return [...new Set(members)];
}

/** Whether the schema has a member at `path`. */
export function isKnownPath(schema: Schema, path: Path): boolean {
  return knownPaths(schema).some(
    (known) => known.length === path.length && named(known, path).join('.') === path.join('.'),
  );
}

/** The paths of each schema that was asked for. */
const PATHS = new WeakMap<Schema, readonly Path[]>();

function knownPaths(schema: Schema): readonly Path[] {
  const before = PATHS.get(schema);
  if (before !== undefined) return before;
  const paths = findPaths(schema);
  PATHS.set(schema, paths);
  return paths;
}

function findPaths(schema: Schema): readonly Path[] {
  const own = Object.entries(schema.properties ?? {});
  const free = schema.additionalProperties;
  const entries = typeof free === 'object' ? [...own, [ANY_NAME, free] as const] : own;
  return entries.flatMap(([name, member]) =>
    typeof member === 'boolean'
      ? [[name]]
      : [[name], ...knownPaths(member).map((rest) => [name, ...rest])],
  );
}

/** `known` with the free names of `path`, if both have the same parents. */
function named(known: Path, path: Path): Path {
  return known.map((part, at) => {
    if (part !== ANY_NAME) return part;
    const isSameParent = known.slice(0, at).join('.') === path.slice(0, at).join('.');
    return isSameParent ? (path[at] ?? 'main') : 'main';
  });
}

function pathDistance(known: Path, path: Path): number {
  const sameParent = known.slice(0, -1).join('.') === path.slice(0, -1).join('.');
  const last = editDistance(known.at(-1) ?? '', path.at(-1) ?? '') + (sameParent ? 0 : 1);
  return Math.min(last, editDistance(known.join('.'), path.join('.')));
}

/** Levenshtein's distance (1966): insertions, deletions and replacements of one character. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
