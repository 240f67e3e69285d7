/**
 * @module
 * JSON from outside, in files and in request bodies. One pass over the text finds what JSON.parse accepts or
 * reports badly: the location of a syntax error, names that are given twice (also if one is written with
 * escapes), deep nesting, too many members, numbers that a double cannot represent. JSON.parse then builds the
 * value, and both must accept the text. There is no recursion, so the depth of the input is not a depth of
 * calls. Grammar: RFC 8259, sections 2 to 7. A name given twice is undefined there (section 4), and refused here.
 */

import type { ErrorCode } from '../../errors.ts';
import { jsonPointer, LabError } from '../../errors.ts';
import { becomesZero } from '../../quantities.ts';

/** Levels of nested arrays and objects, with the outermost one. */
export const JSON_DEPTH_MAX = 8;
/** Members of one object. */
export const JSON_MEMBERS_MAX = 64;

/** The first fault. A syntax error anywhere comes before all others. */
export interface JsonFault {
  readonly code: Extract<ErrorCode, 'json.syntax' | 'json.duplicate_key' | 'json.depth' | 'schema'>;
  readonly detail: string;
  /** JSON pointer of the wrong value. Empty for a syntax error. */
  readonly pointer: string;
}

/** The value of a JSON text. Throws LabError `json.*` or `schema` with the location of the first fault. */
export function parseJsonText(text: string): unknown {
  const fault = scanJson(text);
  if (fault !== null) {
    const { code, detail, pointer } = fault;
    const location = pointer === '' ? '' : `${pointer.slice(0, LOCATION_LENGTH_MAX)}: `;
    throw new LabError(code, location + detail, pointer === '' ? [] : [{ pointer, detail }]);
  }
  try {
    return JSON.parse(text);
  } catch {
    // Never seen: a property test compares the scan with JSON.parse.
    throw new LabError('json.syntax', 'this is not JSON');
  }
}

const LOCATION_LENGTH_MAX = 100;

/** The first fault of a text. Null if JSON.parse may read it. */
export function scanJson(text: string): JsonFault | null {
  const scan = newScan(text);
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const token = match[1] ?? '';
    end = match.index + match[0].length;
    if (!step(scan, token, end - token.length)) return syntaxFault(scan, end - token.length);
  }
  const rest = end + blankLength(text.slice(end));
  if (rest < text.length || scan.expected !== 'nothing') return syntaxFault(scan, rest);
  return scan.fault;
}

/** What may come next, as the error message writes it. */
type Expected =
  | 'value'
  | 'value or "]"'
  | 'name in double quotes'
  | 'name in double quotes or "}"'
  | '":"'
  | '"," or "}"'
  | '"," or "]"'
  | 'nothing';

/** An array or an object that is not complete. */
interface Frame {
  /** The names so far. Null in an array. */
  readonly names: Set<string> | null;
  /** The name or index of the current member. */
  at: string | number;
}

/** The state of a scan between two tokens. */
export interface Scan {
  readonly text: string;
  /** Location of the first character of `text`. */
  readonly origin: Location;
  readonly frames: Frame[];
  expected: Expected;
  fault: JsonFault | null;
}

/** Lines and columns count from 1, columns in UTF-16 code units. */
export interface Location {
  readonly line: number;
  readonly column: number;
}

/** The scan of a text, before its first token. */
export function newScan(text: string): Scan {
  return { text, origin: { line: 1, column: 1 }, frames: [], expected: 'value', fault: null };
}

/** Takes one token. Returns false if it is not allowed here. */
export function step(scan: Scan, token: string, offset: number): boolean {
  switch (scan.expected) {
    case 'value':
      return takeValue(scan, token, offset);
    case 'value or "]"':
      return token === ']' ? close(scan) : takeValue(scan, token, offset);
    case 'name in double quotes':
      return takeName(scan, token);
    case 'name in double quotes or "}"':
      return token === '}' ? close(scan) : takeName(scan, token);
    case '":"':
      if (token !== ':') return false;
      scan.expected = 'value';
      return true;
    case '"," or "}"':
      if (token === '}') return close(scan);
      if (token !== ',') return false;
      scan.expected = 'name in double quotes';
      return true;
    case '"," or "]"':
      if (token === ']') return close(scan);
      if (token !== ',') return false;
      scan.expected = 'value';
      return advanceIndex(scan);
    case 'nothing':
      return false;
  }
}

function takeValue(scan: Scan, token: string, offset: number): boolean {
  if (token === '{' || token === '[') return open(scan, token);
  if (/^[\]},:]/.test(token)) return false;
  // The first character distinguishes numbers. The pattern has checked the rest of the token.
  if (/^[-0-9]/.test(token)) checkNumber(scan, token, offset);
  afterValue(scan);
  return true;
}

function takeName(scan: Scan, token: string): boolean {
  const frame = scan.frames.at(-1);
  if (frame?.names == null || !token.startsWith('"')) return false;
  const name: string = JSON.parse(token); // A string token of the grammar: parsing gives a string.
  frame.at = name;
  if (frame.names.has(name)) note(scan, 'json.duplicate_key', 'this name is given twice');
  frame.names.add(name);
  if (frame.names.size === JSON_MEMBERS_MAX + 1) {
    note(scan, 'schema', `more than ${JSON_MEMBERS_MAX} members in one object`);
  }
  // The schemas of maps with free names would accept it.
  if (name === '__proto__') note(scan, 'schema', 'this name is never accepted');
  scan.expected = '":"';
  return true;
}

function open(scan: Scan, token: '{' | '['): boolean {
  if (scan.frames.length === JSON_DEPTH_MAX) {
    note(scan, 'json.depth', `nested deeper than ${JSON_DEPTH_MAX} levels`);
  }
  scan.frames.push(token === '{' ? { names: new Set(), at: '' } : { names: null, at: 0 });
  scan.expected = token === '{' ? 'name in double quotes or "}"' : 'value or "]"';
  return true;
}

function close(scan: Scan): boolean {
  scan.frames.pop();
  afterValue(scan);
  return true;
}

function afterValue(scan: Scan): void {
  const frame = scan.frames.at(-1);
  if (frame === undefined) scan.expected = 'nothing';
  else scan.expected = frame.names === null ? '"," or "]"' : '"," or "}"';
}

function advanceIndex(scan: Scan): boolean {
  const frame = scan.frames.at(-1);
  if (typeof frame?.at === 'number') frame.at += 1;
  return true;
}

/** 1e400 would become Infinity, some readers distinguish -0 from 0, and integers above 2^53 are rounded. */
function checkNumber(scan: Scan, token: string, offset: number): void {
  // The position costs a pass over the text, so it is computed only for the first fault.
  if (scan.fault !== null) return;
  const value = Number(token);
  const isZero = becomesZero(token, value);
  const isExact = Number.isFinite(value) && !Object.is(value, -0) && Math.abs(value) <= 2 ** 53 - 1;
  if (isExact && !isZero) return;
  const where = position(scan, offset);
  if (isZero) note(scan, 'schema', `${where}: this number is too small, it would become 0`);
  note(scan, 'schema', `${where}: not a number between -(2^53-1) and 2^53-1 with one spelling`);
}

/** Keeps only the first fault. */
function note(scan: Scan, code: JsonFault['code'], detail: string): void {
  scan.fault ??= { code, detail, pointer: jsonPointer(scan.frames.map((frame) => frame.at)) };
}

/** The fault of the token at `offset`, which is not allowed there. */
export function syntaxFault(scan: Scan, offset: number): JsonFault {
  const found = scan.text.slice(offset, offset + FOUND_LENGTH_MAX);
  const what = found === '' ? 'the end' : JSON.stringify(found.split(/[\s,\]}]/, 1)[0] || found[0]);
  const expected = scan.expected === 'nothing' ? 'the end' : scan.expected;
  const detail = `${position(scan, offset)}: expected ${expected}, found ${what}`;
  return { code: 'json.syntax', detail, pointer: '' };
}

function position({ text, origin }: Scan, offset: number): string {
  const { line, column } = locationAfter(origin, text.slice(0, offset));
  return `line ${line}, column ${column}`;
}

/** The location of the first character after a text. */
export function locationAfter({ line, column }: Location, text: string): Location {
  const lines = text.split('\n');
  const last = (lines.at(-1) ?? '').length;
  return { line: line + lines.length - 1, column: lines.length === 1 ? column + last : last + 1 };
}

function blankLength(text: string): number {
  return text.length - text.replace(/^[ \t\n\r]+/, '').length;
}

/** Characters of the input that a message repeats. */
const FOUND_LENGTH_MAX = 20;

/** The tokens of RFC 8259. `unescaped` of section 7 is written as there. */
const STRING = String.raw`"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*"`;
const NUMBER = String.raw`-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?`;
export const TOKEN = new RegExp(
  `[ \\t\\n\\r]*([[\\]{},:]|${STRING}|${NUMBER}|true|false|null)`,
  'gy',
);
