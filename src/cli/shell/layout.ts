/**
 * @module
 * Plain text for people in columns. Texts are divided at the width of the terminal. Tables of numbers have the width that
 * their data need.
 */

import process from 'node:process';

/** Rows as left-aligned columns two spaces apart, one line each. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    }
  }
  return rows
    .map((row) => row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** Longer lines are hard to read. */
const LINE_MAX = 100;
/** Where the output goes into a file or to another program. */
const LINE_USUAL = 80;
/** A column of text that would be narrower begins below the others. */
const TEXT_MIN = 24;
/** The indentation of such a text. */
const BELOW = 4;

/** Characters of a line: those of the terminal, within limits. */
export function lineWidth(): number {
  return Math.max(TEXT_MIN, Math.min(LINE_MAX, process.stdout.columns || LINE_USUAL));
}

function fits(text: string): boolean {
  return text.split('\n').every((line) => line.length <= lineWidth());
}

/** Columns that fit into the line. Where they do not, the first one has a line of its own. */
export function fittedColumns(rows: readonly (readonly string[])[]): string {
  const text = columns(rows);
  if (fits(text)) return text;
  const indent = ' '.repeat(BELOW - 2);
  const lines = columns(rows.map(([, ...rest]) => [indent, ...rest])).split('\n');
  return rows.map(([name = ''], index) => `${name}\n${lines[index]}\n`).join('');
}

/**
 * Columns whose last one is text. It is divided at spaces, so that it fits into the line. Where the others do not fit, the
 * last of them is part of the text.
 */
export function textColumns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.slice(0, -1).entries()) {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    }
  }
  const start = widths.reduce((sum, width) => sum + width + 2, 0);
  if (start - 2 > lineWidth() && widths.length > 1) {
    const textOf = (row: readonly string[]) => row.slice(-2).filter(Boolean).join('; ');
    return textColumns(rows.map((row) => [...row.slice(0, -2), textOf(row)]));
  }
  const room = lineWidth() - start;
  const isBelow = room < TEXT_MIN && !fits(columns(rows));
  const lines = rows.flatMap((row) => {
    const head = row.slice(0, -1).map((cell, index) => `${cell.padEnd(widths[index] ?? 0)}  `);
    if (isBelow) {
      const below = textLines(row.at(-1) ?? '', lineWidth() - BELOW);
      return [head.join(''), ...below.map((line) => `${' '.repeat(BELOW)}${line}`)];
    }
    const [first = '', ...rest] = textLines(row.at(-1) ?? '', room);
    return [`${head.join('')}${first}`, ...rest.map((line) => `${' '.repeat(start)}${line}`)];
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** A text as lines of the terminal. */
export function wrapped(text: string): string[] {
  return textLines(text, lineWidth());
}

/** A help text whose lines fit into the line, but for JSON, which is copied. A second column stays one. */
export function fittedHelp(text: string): string {
  const isLong = (line: string) => line.length > lineWidth();
  const divided = (line: string) => {
    if (!isLong(line) || /^ *\{/.test(line)) return line;
    if (/^ +usurp /.test(line)) return dividedCommand(line);
    const [spaces = ''] = /^ */.exec(line) ?? [];
    const [column = spaces] = /^ *\S+(?: \S+)* {2,}/.exec(line) ?? [];
    const begin = lineWidth() - column.length < TEXT_MIN ? spaces : column;
    const [first = '', ...rest] = textLines(line.slice(begin.length), lineWidth() - begin.length);
    const start = ' '.repeat(begin.length);
    return [`${begin}${first}`, ...rest.map((each) => `${start}${each}`)].join('\n');
  };
  // The lines of a paragraph are divided again together.
  const whole = examplesFirst(text).replace(/^[^ \n].*(?:\n[^ \n].*)+$/gm, (paragraph) =>
    paragraph.split('\n').some(isLong) ? paragraph.replaceAll('\n', ' ') : paragraph,
  );
  return whole.split('\n').map(divided).join('\n');
}

/** A command in lines that a shell reads as one. A flag stays beside its value, unless that fills a line. */
function dividedCommand(line: string): string {
  const parts = line.match(/^ +\S+|(?:--\S+ (?!\S{60}))?(?:'[^']*'|"[^"]*"|\S)+/g) ?? [];
  const lines = wordLines(parts, lineWidth() - BELOW - 2);
  return lines.join(` \\\n${' '.repeat(BELOW)}`);
}

/** A help text whose examples, which end it, are before its lists. */
function examplesFirst(text: string): string {
  const [, head, lists, examples] =
    /^(Usage: .*?\n\n.*?)(?=\n(?:Arguments|Options):\n)(.*?)\n(Examples:\n.*?)\n*$/s.exec(text) ??
    [];
  return examples === undefined ? text : `${head}\n${examples}\n${lists}\n`;
}

/** A text as lines of at most this length, unless a word is longer. */
function textLines(text: string, lengthMax: number): string[] {
  return text.split('\n').flatMap((each) => wordLines(each.split(' '), lengthMax));
}

function wordLines(words: readonly string[], lengthMax: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= lengthMax) line = longer;
    else {
      if (line !== '') lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}
