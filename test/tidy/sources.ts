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
  readonly program: SyntaxNode;
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
  const literals = literalsOf(program, text);
  return {
    path,
    text,
    code,
    bare: blank(code, literals),
    prose: passages(text, [...literals, ...commentRanges]),
    program,
    imports: [...code.matchAll(/^(?:import|export)\b[^;]*?['"]([^'"]+)['"];$/gm)].map(
      ([, name]) => name ?? '',
    ),
  };
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Every function below a node with its first line and its number of lines. */
export function functionsOf(node: unknown, text: string): { line: number; lines: number }[] {
  if (Array.isArray(node)) return node.flatMap((each) => functionsOf(each, text));
  if (!isNode(node)) return [];
  const inner = Object.values(node).flatMap((part) => functionsOf(part, text));
  if (!/Function/.test(node.type)) return inner;
  const lineOf = (position: number) => text.slice(0, position).split('\n').length;
  const line = lineOf(node.start);
  return [{ line, lines: lineOf(node.end) - line + 1 }, ...inner];
}

/** Strings, templates without their expressions, regular expressions, and the text of JSX. */
function literalsOf(node: unknown, text: string): Range[] {
  if (Array.isArray(node)) return node.flatMap((each) => literalsOf(each, text));
  if (!isNode(node)) return [];
  const { start, end } = node;
  if (node.type === 'Literal') return /['"/]/.test(text[start] ?? '') ? [[start, end]] : [];
  if (node.type === 'TemplateElement' || node.type === 'JSXText') return [[start, end]];
  return Object.values(node).flatMap((part) => literalsOf(part, text));
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
