/**
 * @module
 * Plain text for people in columns. Widths depend on the data alone, never on the terminal or the locale.
 */

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

/** Characters of a line on a usual terminal. */
const LINE_MAX = 100;

/** Columns whose last one is text. It is divided at spaces, so that no line has more than 100 characters. */
export function textColumns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.slice(0, -1).entries()) {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    }
  }
  const start = widths.reduce((sum, width) => sum + width + 2, 0);
  const lines = rows.flatMap((row) => {
    const head = row.slice(0, -1).map((cell, index) => `${cell.padEnd(widths[index] ?? 0)}  `);
    const [first = '', ...rest] = textLines(row.at(-1) ?? '', LINE_MAX - start);
    return [`${head.join('')}${first}`, ...rest.map((line) => `${' '.repeat(start)}${line}`)];
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** A text as lines of at most the usual width. */
export function wrapped(text: string): string[] {
  return textLines(text, LINE_MAX);
}

/** A text as lines of at most this length, unless a word is longer. */
function textLines(text: string, lengthMax: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= lengthMax) line = longer;
    else {
      if (line !== '') lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}
