/**
 * @module
 * One pass over a JSON text that finds what JSON.parse passes over or words badly: where a syntax
 * error is, names given twice (also when one is spelled with escapes), nesting, the number of
 * members, numbers that a double does not hold. It builds no values, JSON.parse does (json-text.ts),
 * and both must accept a text. No recursion: the depth of the input never becomes a depth of calls.
 * Grammar: RFC 8259, sections 2 to 7; a name given twice is undefined there (section 4), here refused.
 */

import type { ErrorCode } from '../../errors.ts';
import { jsonPointer } from '../../errors.ts';

/** Arrays and objects inside each other, the outermost counted. */
export const JSON_DEPTH_MAX = 8;
/** Members of one object. */
export const JSON_MEMBERS_MAX = 64;

/** What is wrong first; a syntax error anywhere goes before everything else. */
export interface JsonFault {
  readonly code: Extract<ErrorCode, 'json.syntax' | 'json.duplicate_key' | 'json.depth' | 'schema'>;
  readonly detail: string;
  /** JSON pointer of the value at fault; empty for a syntax error. */
  readonly pointer: string;
}

/** The first fault of `text`, or null when it may be given to JSON.parse. */
export function scanJson(text: string): JsonFault | null {
  const scan: Scan = { text, frames: [], expected: 'value', fault: null };
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

/** What may come next, in the words of the error message. */
type Expected =
  | 'value'
  | 'value or "]"'
  | 'name in double quotes'
  | 'name in double quotes or "}"'
  | '":"'
  | '"," or "}"'
  | '"," or "]"'
  | 'nothing';

interface Frame {
  /** The names so far; null in an array. */
  readonly names: Set<string> | null;
  /** Where in it the scan stands. */
  at: string | number;
}

interface Scan {
  readonly text: string;
  readonly frames: Frame[];
  expected: Expected;
  fault: JsonFault | null;
}

/** Takes one token; false when it may not stand here. */
function step(scan: Scan, token: string, offset: number): boolean {
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
      scan.expected = 'name in double quotes';
      return token === ',';
    case '"," or "]"':
      if (token === ']') return close(scan);
      scan.expected = 'value';
      return token === ',' && advanceIndex(scan);
    case 'nothing':
      return false;
  }
}

function takeValue(scan: Scan, token: string, offset: number): boolean {
  if (token === '{' || token === '[') return open(scan, token);
  if (/^[\]},:]/.test(token)) return false;
  // The first character tells numbers from strings and words; the token pattern vouches for the rest.
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
  // Refused here and not left to the schemas: a map with free names would let it through.
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

/** 1e400 would become Infinity, -0 is not 0 to every reader, and integers above 2^53 are rounded. */
function checkNumber(scan: Scan, token: string, offset: number): void {
  // Saying where costs a pass over the text, so it is done for the first fault alone.
  if (scan.fault !== null) return;
  const value = Number(token);
  if (Number.isFinite(value) && !Object.is(value, -0) && Math.abs(value) <= 2 ** 53 - 1) return;
  const where = position(scan.text, offset);
  note(scan, 'schema', `${where}: not a number between -(2^53-1) and 2^53-1 with one spelling`);
}

/** Keeps the first fault alone. */
function note(scan: Scan, code: JsonFault['code'], detail: string): void {
  scan.fault ??= { code, detail, pointer: jsonPointer(scan.frames.map((frame) => frame.at)) };
}

function syntaxFault(scan: Scan, offset: number): JsonFault {
  const found = scan.text.slice(offset, offset + FOUND_LENGTH_MAX);
  const what = found === '' ? 'the end' : JSON.stringify(found.split(/[\s,\]}]/, 1)[0] || found[0]);
  const expected = scan.expected === 'nothing' ? 'the end' : scan.expected;
  const detail = `${position(scan.text, offset)}: expected ${expected}, found ${what}`;
  return { code: 'json.syntax', detail, pointer: '' };
}

/** Lines and columns count from 1, columns in UTF-16 code units. */
function position(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

function blankLength(text: string): number {
  return text.length - text.replace(/^[ \t\n\r]+/, '').length;
}

/** How much of the input a message repeats. */
const FOUND_LENGTH_MAX = 20;

/** The tokens of RFC 8259; `unescaped` of its section 7 is written as there. */
const STRING = String.raw`"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*"`;
const NUMBER = String.raw`-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?`;
const TOKEN = new RegExp(`[ \\t\\n\\r]*([[\\]{},:]|${STRING}|${NUMBER}|true|false|null)`, 'gy');
