/**
 * @module
 * The source files that the house rules apply to, each split into its code, its comments and its strings.
 * OXC parses them, which also reads the JSX of the browser lab.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';

/** A node of a syntax tree (ESTree), with its first position and the one after its last. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

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
  /** Every function with its first line and its number of lines. */
  readonly functions: readonly { readonly line: number; readonly lines: number }[];
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

/** Paths from the root of all files below a folder. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
}

export function readSource(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const commentRanges = comments.map(({ start, end }): Range => [start, end]);
  const code = blank(text, commentRanges);
  const { literals, functions } = partsOf(program, text);
  return {
    path,
    text,
    code,
    bare: blank(code, literals),
    prose: passages(text, [...literals, ...commentRanges]),
    functions,
    imports: [...code.matchAll(/^(?:import|export)\b[^;]*?['"]([^'"]+)['"];$/gm)].map(
      ([, name]) => name ?? '',
    ),
  };
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Strings, templates without their expressions, regular expressions and the text of JSX, and all functions. */
function partsOf(
  program: unknown,
  text: string,
): { literals: Range[] } & Pick<Source, 'functions'> {
  const literals: Range[] = [];
  const functions: Source['functions'][number][] = [];
  const left = [program];
  while (left.length > 0) {
    const node = left.pop();
    if (typeof node !== 'object' || node === null) continue;
    left.push(...Object.values(node));
    if (!isNode(node)) continue;
    const { type, start, end } = node;
    const isQuoted = type === 'Literal' && /['"/]/.test(text[start] ?? '');
    if (isQuoted || type === 'TemplateElement' || type === 'JSXText') literals.push([start, end]);
    if (type.includes('Function')) {
      const [line, lines] = [linesIn(text.slice(0, start)), linesIn(text.slice(start, end))];
      functions.push({ line, lines });
    }
  }
  return { literals, functions };
}

function linesIn(text: string): number {
  return text.split('\n').length;
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
