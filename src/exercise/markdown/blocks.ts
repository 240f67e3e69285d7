/**
 * @module
 * This folder parses the Markdown of statements and hints, for the browser lab and for terminals. This file finds the blocks:
 * headings, paragraphs, lists, fenced code and tables. Libraries have more of Markdown, and take 15 kB or more of the
 * 250 kB of the lab; statements use no more than this. Control characters are escaped.
 */

import { printable } from '../../printable.ts';

export type Block =
  | { readonly type: 'paragraph' | 'code'; readonly text: string }
  | { readonly type: 'heading'; readonly level: number; readonly text: string }
  | {
      readonly type: 'list';
      /** The number of its first item; null without numbers. */
      readonly start: number | null;
      readonly items: readonly (readonly Block[])[];
    }
  | { readonly type: 'table'; readonly rows: readonly (readonly string[])[] };

interface Found {
  readonly block: Block;
  /** Number of lines of the block. */
  readonly length: number;
}

const FENCE = /^\s{0,3}```/;
const HEADING = /^(#{1,6})\s+(\S.*)$/;
const ITEM = /^(\s{0,3})([-*+]|\d{1,9}[.)])(\s+)(?=\S)/;
const RULE_CELL = /^:?-+:?$/;
const TAB_SPACES = '    ';
/** Lists within lists; what is deeper is a paragraph. */
const DEPTH_MAX = 4;

/** The blocks of a text. */
export function blocksOf(text: string): readonly Block[] {
  const plain = text.replaceAll(/\r\n?/g, '\n').replaceAll('\t', TAB_SPACES);
  return blocksIn(printable(plain).split('\n'));
}

function blocksIn(lines: readonly string[], depth = 0): readonly Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    if (isBlank(lines[at])) {
      at += 1;
      continue;
    }
    const rest = lines.slice(at);
    const { block, length } =
      codeAt(rest) ??
      headingAt(rest) ??
      tableAt(rest) ??
      (depth < DEPTH_MAX ? listAt(rest, depth) : null) ??
      paragraphAt(rest);
    blocks.push(block);
    at += length;
  }
  return blocks;
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === '';
}

function codeAt([first = '', ...others]: readonly string[]): Found | null {
  if (!FENCE.test(first)) return null;
  const end = others.findIndex((line) => FENCE.test(line));
  const inside = end < 0 ? others : others.slice(0, end);
  return { block: { type: 'code', text: inside.join('\n') }, length: inside.length + 2 };
}

function headingAt([first = '']: readonly string[]): Found | null {
  const [, marks, text] = HEADING.exec(first) ?? [];
  if (marks === undefined || text === undefined) return null;
  return { block: { type: 'heading', level: marks.length, text }, length: 1 };
}

function tableAt([head = '', rule = '', ...others]: readonly string[]): Found | null {
  if (!(head.includes('|') && isRule(rule))) return null;
  const end = others.findIndex((line) => !line.includes('|'));
  const rows = [head, ...(end < 0 ? others : others.slice(0, end))];
  return { block: { type: 'table', rows: rows.map(cellsOf) }, length: rows.length + 1 };
}

function isRule(line: string): boolean {
  return line.includes('|') && cellsOf(line).every((cell) => RULE_CELL.test(cell));
}

function cellsOf(line: string): readonly string[] {
  const inside = line.trim().replace(/^\||\|$/g, '');
  return inside.split('|').map((cell) => cell.trim());
}

function listAt(lines: readonly string[], depth: number): Found | null {
  const [first = ''] = lines;
  const mark = ITEM.exec(first)?.[2];
  if (mark === undefined) return null;
  const isSame = (line: string) => isNumber(ITEM.exec(line)?.[2]) === isNumber(mark);
  const items: string[][] = [];
  let length = 0;
  let indent = 0;
  for (const line of lines) {
    const found = ITEM.exec(line);
    const isIndented = line.search(/\S/) >= indent;
    if (found !== null && (items.length === 0 || !isIndented)) {
      if (items.length > 0 && !isSame(line)) break;
      indent = found[0].length;
      items.push([line.slice(indent)]);
    } else {
      const isAfterBlank = isBlank(lines[length - 1]);
      if (!isBlank(line) && !isIndented && (isAfterBlank || startsBlock(line))) break;
      items.at(-1)?.push(isIndented ? line.slice(indent) : line.trimStart());
    }
    length += 1;
  }
  const start = isNumber(mark) ? Number.parseInt(mark, 10) : null;
  const blocks = items.map((item) => blocksIn(item, depth + 1));
  return { block: { type: 'list', start, items: blocks }, length };
}

function isNumber(mark: string | undefined): boolean {
  return mark !== undefined && /^\d/.test(mark);
}

function startsBlock(line: string): boolean {
  return FENCE.test(line) || HEADING.test(line) || ITEM.test(line);
}

function paragraphAt([first = '', ...others]: readonly string[]): Found {
  const end = others.findIndex((line) => isBlank(line) || startsBlock(line));
  const lines = [first, ...(end < 0 ? others : others.slice(0, end))];
  const text = lines.map((line) => line.trim()).join(' ');
  return { block: { type: 'paragraph', text }, length: lines.length };
}

/**
 * The marks within a line of Markdown: code, strong words, emphasis and links. HTML is shown as text, and so is a
 * link whose address is not http or https. An image becomes a link, so that nothing is loaded.
 */
export type Inline =
  | { readonly type: 'text' | 'code' | 'emphasis'; readonly text: string }
  | { readonly type: 'strong'; readonly content: readonly Inline[] }
  | { readonly type: 'link'; readonly text: string; readonly address: string };

/** Each alternative ends where another one of its kind begins, so that the time is linear in the length. */
const MARKS =
  /\\([!-/:-@[-`{-~])|(?<!`)(`{1,3})(?!`)([^`]+)\2(?!`)|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|!?\[([^[\]]+)\]\((https?:\/\/[^\s()[\]]+)\)/g;

/** The parts of a text without line ends. */
export function inlinesOf(text: string): readonly Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  const addText = (words: string) => {
    if (words !== '') parts.push({ type: 'text', text: words });
  };
  for (const match of text.matchAll(MARKS)) {
    const [whole, escaped, , code, strong, emphasis, words, address] = match;
    addText(text.slice(end, match.index));
    if (escaped !== undefined) addText(escaped);
    else if (code !== undefined) parts.push({ type: 'code', text: code });
    else if (strong !== undefined) parts.push({ type: 'strong', content: inlinesOf(strong) });
    else if (emphasis !== undefined) parts.push({ type: 'emphasis', text: emphasis });
    else if (words !== undefined && address !== undefined) {
      parts.push({ type: 'link', text: words, address });
    }
    end = match.index + whole.length;
  }
  addText(text.slice(end));
  return parts;
}
