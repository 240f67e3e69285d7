/**
 * @module
 * Strict checks of JSON values from outside: each notes, with its path, every place that is not as it
 * must be, and what would be right there.
 */

import type { InputFault } from '../../errors.ts';
import { jsonPointer, LabError } from '../../errors.ts';

export type Path = readonly (string | number)[];
/** Notes what is wrong at a place. */
export type Note = (path: Path, detail: string) => void;
export type Check = (value: unknown, path: Path, note: Note) => void;

/** Runs a check and throws LabError `schema` with all that it noted. `name` is what was read. */
export function assertChecked(name: string, value: unknown, check: Check): void {
  const faults: InputFault[] = [];
  check(value, [], (path, detail) => faults.push({ pointer: jsonPointer(path), detail }));
  const [first] = faults;
  if (first === undefined) return;
  throw new LabError('schema', `${name}: ${first.pointer} ${first.detail}`, faults);
}

export function text(value: unknown, path: Path, note: Note): void {
  if (typeof value !== 'string') note(path, 'is a string');
}

/** An object with exactly these members, and perhaps some of the `optional` ones. */
export function members(
  checks: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>> = {},
): Check {
  return (value, path, note) => {
    if (!isRecord(value)) {
      note(path, 'is an object');
      return;
    }
    for (const [name, check] of Object.entries(checks)) {
      if (Object.hasOwn(value, name)) check(value[name], [...path, name], note);
      else note([...path, name], 'is missing');
    }
    for (const name of Object.keys(value)) {
      if (Object.hasOwn(checks, name)) continue;
      const check = Object.hasOwn(optional, name) ? optional[name] : undefined;
      if (check === undefined) note([...path, name], 'is not a member of this object');
      else check(value[name], [...path, name], note);
    }
  };
}

/** An object with any members, all of one kind. */
export function record(item: Check): Check {
  return (value, path, note) => {
    if (!isRecord(value)) note(path, 'is an object');
    else for (const [name, each] of Object.entries(value)) item(each, [...path, name], note);
  };
}

/** An object whose member `tag` says which other members it has. */
export function variants(
  tag: string,
  shapes: Readonly<Record<string, Readonly<Record<string, Check>>>>,
): Check {
  return (value, path, note) => {
    const name = isRecord(value) ? value[tag] : undefined;
    const shape = typeof name === 'string' && Object.hasOwn(shapes, name) ? shapes[name] : null;
    if (!shape) note([...path, tag], `is one of ${Object.keys(shapes).join(', ')}`);
    else members({ ...shape, [tag]: () => undefined })(value, path, note);
  };
}

export function list(item: Check, lengthMax: number): Check {
  return (value, path, note) => {
    if (!Array.isArray(value)) note(path, 'is a list');
    else if (value.length > lengthMax) note(path, `has at most ${lengthMax} entries`);
    else for (const [index, each] of value.entries()) item(each, [...path, index], note);
  };
}

export function nullOr(check: Check): Check {
  return (value, path, note) => {
    if (value !== null) check(value, path, note);
  };
}

export function integer(min: number, max: number): Check {
  return (value, path, note) => {
    if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return;
    note(path, `is a whole number in ${min}..${max}`);
  };
}

export function share(value: unknown, path: Path, note: Note): void {
  if (typeof value === 'number' && value >= 0 && value <= 1) return;
  note(path, 'is a probability in 0..1');
}

export function truth(value: unknown, path: Path, note: Note): void {
  if (typeof value !== 'boolean') note(path, 'is true or false');
}

export function oneOf(...names: readonly string[]): Check {
  return (value, path, note) => {
    if (typeof value !== 'string' || !names.includes(value)) note(path, `is one of ${names}`);
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
