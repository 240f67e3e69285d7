/**
 * @module
 * Suggestions for mistyped names, and for mistyped paths of a threat model. The known members are read from the
 * published JSON Schema, so that suggestions are always accepted. Nothing is suggested for a name that is far from all.
 */

import type { z } from 'zod';

type Schema = z.core.JSONSchema.JSONSchema;
type Path = readonly string[];

/** Stands for the name of an adversary, which is free. */
const ANY_NAME = '*';

/**
 * What the author of an unknown path probably meant: a known path, dotted, or a member of the same parent with its value
 * (`expect.comparison: at-most` for `expect.atMost`). Null if nothing known is near. Free names are taken from `path`.
 */
export function nearestPath(schema: Schema, path: Path): string | null {
  const tails = knownPaths(schema).map((candidate) => {
    const known = named(candidate, path);
    return { text: known.join('.'), distance: pathDistance(known, path) };
  });
  const [best] = tails.toSorted((left, right) => left.distance - right.distance);
  if (best !== undefined && Number.isFinite(best.distance)) return best.text;
  return memberWithValue(schema, path);
}

/** The name that `name` probably stands for: one that begins with it, or the nearest by spelling. Undefined if none is near. */
export function nearestName(names: readonly string[], name: string): string | undefined {
  const ranked = names
    .map((each) => ({ each, distance: nameDistance(each, name) }))
    .filter(({ distance }) => Number.isFinite(distance));
  return ranked.toSorted((left, right) => left.distance - right.distance)[0]?.each;
}

/** `; did you mean NAME?`, or nothing if no name is near. */
export function suggestion(names: readonly string[], name: string): string {
  const near = nearestName(names, name);
  return near === undefined ? '' : `; did you mean ${near}?`;
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
  const forms = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const own = forms.flatMap(({ properties = {} }) => Object.entries(properties));
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

/** A member beside an unknown one that has its name as a value. */
function memberWithValue(schema: Schema, path: Path): string | null {
  const parent = path.slice(0, -1);
  const last = plain(path.at(-1) ?? '');
  const { properties = {} } = schemaAt(schema, parent) ?? {};
  for (const [name, member] of Object.entries(properties)) {
    const values = typeof member === 'boolean' ? [] : (member.enum ?? []);
    const value = values.find((each) => typeof each === 'string' && plain(each) === last);
    if (value !== undefined) return `${[...parent, name].join('.')}: ${value}`;
  }
  return null;
}

/** The schema of the member at `path`. Null if there is none. */
export function schemaAt(schema: Schema, path: Path): Schema | null {
  let found: Schema | null = schema;
  for (const name of path) found = found && memberSchema(found, name);
  return found;
}

function memberSchema(
  { properties = {}, additionalProperties }: Schema,
  name: string,
): Schema | null {
  const member = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
  return typeof member === 'object' ? member : null;
}

/**
 * Distance of the last parts of `known` from `path`, part by part. A known member with exactly the last name is near under
 * any parent. Infinity if they are not near.
 */
function pathDistance(known: Path, path: Path): number {
  const tail = known.slice(-path.length);
  const isShorter = tail.length < path.length;
  const parts = path.map((part, at) => nameDistance(tail[at] ?? '', part));
  const elsewhere = known.length === path.length ? 0 : ELSEWHERE;
  const near = isShorter
    ? Number.POSITIVE_INFINITY
    : parts.reduce((sum, each) => sum + each, elsewhere);
  const isSameName = path.length > 1 && plain(known.at(-1) ?? '') === plain(path.at(-1) ?? '');
  return Math.min(near, isSameName ? UNDER_ANOTHER_PARENT : Number.POSITIVE_INFINITY);
}

const ELSEWHERE = 0.5;
/** Behind every path whose parents are near too. */
const UNDER_ANOTHER_PARENT = 100;

/**
 * Distance of two spellings: 0 if only case and punctuation differ, 1 if one begins with the other, else the edit
 * distance. Infinity beyond a third of the letters.
 */
function nameDistance(known: string, name: string): number {
  const [left, right] = [plain(known), plain(name)];
  if (left === right) return 0;
  const shorter = Math.min(left.length, right.length);
  const isBeginning = left.startsWith(right) || right.startsWith(left);
  if (isBeginning && shorter >= BEGINNING_LETTERS_MIN) return 1;
  const distance = editDistance(left, right);
  return distance <= Math.max(left.length, right.length) / 3 ? distance : Number.POSITIVE_INFINITY;
}

const BEGINNING_LETTERS_MIN = 3;

/** Without case, hyphens and other punctuation: `atMost` and `at-most` are spelt alike. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/**
 * The optimal string alignment distance (Damerau 1964): insertions, deletions and replacements of one letter, and
 * exchanges of two neighbours.
 */
function editDistance(left: string, right: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      const isExchange =
        i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const exchanged = isExchange ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(replaced, exchanged, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[right.length] ?? 0;
}
