/**
 * @module
 * The source files that the house rules apply to, each split into its code, its comments and its strings.
 * Node strips the types; acorn reads the rest.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Node } from 'acorn';
import { parse } from 'acorn';

export interface Source {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly text: string;
  /** The text with spaces in place of its comments; positions stay as they are. */
  readonly code: string;
  /** The code with spaces in place of its strings, templates and regular expressions too. */
  readonly bare: string;
  /** Every comment and string with the number of its line. */
  readonly prose: readonly Passage[];
  /** The syntax tree, without types. */
  readonly program: Node;
  /** The modules that it imports, types included. */
  readonly imports: readonly string[];
}

/** A comment or a string of a source, or a line of a document. */
export interface Passage {
  readonly line: number;
  readonly text: string;
}

type Range = readonly [start: number, end: number];

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Folders with source files. */
export const TOP_FOLDERS = ['src', 'server', 'bench', 'test'];

const LITERALS = ['string', 'template', 'regexp'];

/** Paths from the root of all files below a folder. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
}

export function readSource(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const literals: Range[] = [];
  const comments: Range[] = [];
  const program = parse(stripTypeScriptTypes(text), {
    ecmaVersion: 'latest',
    sourceType: 'module',
    allowHashBang: true,
    locations: true,
    onComment: (_isBlock, _text, start, end) => comments.push([start, end]),
    onToken: ({ type, start, end }) => {
      if (LITERALS.includes(type.label)) literals.push([start, end]);
    },
  });
  // Comments inside interfaces are stripped with them, so the source itself is searched.
  const unquoted = blank(text, [...literals, ...comments]);
  const inTypes = [...unquoted.matchAll(/\/\*[\s\S]*?\*\/|\/\/.*/g)].map(rangeOf);
  const code = blank(text, [...comments, ...inTypes]);
  const withTypeStrings = blank(unquoted, inTypes);
  const typeStrings = [...withTypeStrings.matchAll(/'[^'\n]*'/g)].map(rangeOf);
  return {
    path,
    text,
    code,
    bare: blank(withTypeStrings, typeStrings),
    prose: passages(text, [...literals, ...comments, ...inTypes]),
    program,
    imports: [...code.matchAll(/^(?:import|export)\b[^;]*?['"]([^'"]+)['"];$/gm)].map(
      ([, name]) => name ?? '',
    ),
  };
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function rangeOf(match: RegExpExecArray): Range {
  return [match.index, match.index + match[0].length];
}

/** The text with spaces in the ranges. */
function blank(text: string, ranges: readonly Range[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const [start, end] of ranges.toSorted(([one], [other]) => one - other)) {
    if (start < done) continue;
    parts.push(text.slice(done, start), text.slice(start, end).replace(/[^\n]/g, ' '));
    done = end;
  }
  return parts.join('') + text.slice(done);
}

function passages(text: string, ranges: readonly Range[]): Passage[] {
  const found: Passage[] = [];
  let [line, done] = [1, 0];
  for (const [start, end] of ranges.toSorted(([one], [other]) => one - other)) {
    line += text.slice(done, start).split('\n').length - 1;
    done = start;
    found.push({ line, text: text.slice(start, end) });
  }
  return found;
}
