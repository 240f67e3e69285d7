/**
 * @module
 * Reads the documents of the project: what each one shows, in the order in which a reader follows it.
 * A `console` block contains commands, each with its output below it. The language of a block can be
 * followed by a file name: `yaml my-model.yaml` is a file that the reader writes, `diff my-model.yaml` is
 * a change that the reader makes in it.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../cli/shell.ts';

/** One thing that a reader does. */
export type Step =
  | { readonly type: 'command'; readonly command: string; readonly shown: string }
  | { readonly type: 'file' | 'change'; readonly file: string; readonly text: string };

export interface Document {
  /** Path from the repository's folder. */
  readonly path: string;
  readonly text: string;
  readonly steps: readonly Step[];
  /**
   * Paths of the SVG pictures in it, from the document's own folder. Screenshots are PNG files, which depend on the fonts
   * of the machine; `npm run docs:screens` makes them.
   */
  readonly pictures: readonly string[];
  /** Targets of its relative links, from the document's own folder, and of those within it. */
  readonly links: readonly string[];
  /** Files and folders of the repository that its text names. */
  readonly files: readonly string[];
}

/** A file or folder of the repository in running text, unless a part of its name is left open. */
const FILE = /`((?:src|server|test|docs|bench|bin|examples|threat-models)\/[\w./-]+)`/g;
const BLOCK = /^```(\w+)(?: (\S+))?\n(.*?)^```$/gms;

/** All documents: those at the top of the repository and those under docs. */
export function readDocuments(): readonly Document[] {
  const top = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  const below = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  return [...top, ...below].sort().map(readDocument);
}

function readDocument(path: string): Document {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const unblocked = text.replace(BLOCK, '');
  const prose = unblocked.replace(/`[^`\n]*`/g, '');
  const targets = [...prose.matchAll(/(!?)\[[^\]]*\]\(([^)\s]+)\)/g)];
  return {
    path,
    text,
    steps: [...text.matchAll(BLOCK)].flatMap(([, language, file, body = '']) => {
      return stepsOf(language, file, body);
    }),
    pictures: targets
      .filter(([, mark, target = '']) => mark === '!' && target.endsWith('.svg'))
      .map(([, , target = '']) => target),
    links: targets.map(([, , target = '']) => target).filter((target) => !/^\w+:/.test(target)),
    files: [...unblocked.matchAll(FILE)].map(([, file = '']) => file),
  };
}

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf(text: string): readonly string[] {
  return [...text.replace(BLOCK, '').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The text with the lines that begin with `-` replaced by those that begin with `+`. */
export function applyChange(text: string, change: string): string {
  const lines = change.split('\n');
  const linesAfter = (sign: string) =>
    lines
      .filter((line) => line.startsWith(sign) || line.startsWith(' '))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  const [before, after] = [linesAfter('-'), linesAfter('+')];
  if (!text.includes(before)) throw new Error(`the file has no lines\n${before}`);
  return text.replace(before, () => after);
}

function stepsOf(language: string | undefined, file: string | undefined, body: string): Step[] {
  if (language === 'console') return commandsOf(body);
  if (file === undefined) return [];
  return [{ type: language === 'diff' ? 'change' : 'file', file, text: body }];
}

function commandsOf(body: string): Step[] {
  return body
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const end = /(?<!\\)\n/.exec(part)?.index ?? part.length;
      return { type: 'command', command: part.slice(0, end), shown: part.slice(end + 1) };
    });
}

/** The output of a command without durations, rates, and random ids and keys. */
export function masked(output: string): string {
  return output
    .replace(/\b\d[\d.e+]* (ms|s|min|h|days|years)\b *(CPU)?/g, '<time>')
    .replace(/"(cpu|wall)Seconds":[\d.e-]+/g, '"$1Seconds":<time>')
    .replace(/overshoot( +|":)\d+/g, 'overshoot$1<count>')
    .replace(/\b(?:e|[a-z-]+(?=_[a-z2-7]{16}\b))_[a-z0-9]+/g, '<id>')
    .replace(/\(digest [0-9a-f]{16}\)/g, '(digest <id>)')
    .replace(/"created":"[^"]+"/g, '"created":<time>')
    .replace(/"instance":"urn:uuid:[^"]+"/g, '"instance":"urn:uuid:<id>"')
    .replace(/^mined [0-9a-f]{16}…(.*): \d+ keys$/gm, 'mined <id>$1: <count> keys')
    .replace(/begins with \d+ zero bits, 16 are required/g, 'begins with <count> of 16')
    .replace(/((?:strict|weak) +)\d+ +\d+ +-?[\d.]+ +-?[\d.]+$/gm, '$1<rate>')
    .replace(/^(stockpile .*strict +)\d+ +\d+$/gm, '$1<rate>')
    .replace(/\d+ keys in stock\/s/, '<rate>')
    .replace(/takes all \d+ steps/g, 'takes all <count> steps')
    .replace(/ +$/gm, '')
    .replace(/ {2,}/g, '  ');
}
