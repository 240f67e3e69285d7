/**
 * @module
 * Markdown for the generated parts of the documents: tables and lists of what the command line prints
 * as JSON.
 */

/** A table with a heading row; null stands for an empty cell. */
export function table(
  heading: readonly string[],
  rows: readonly (readonly (string | null)[])[],
): string {
  const line = (cells: readonly (string | null)[]) =>
    `| ${cells.map((cell) => (cell ?? '').replaceAll('|', '\\|')).join(' | ')} |\n`;
  return [line(heading), line(heading.map(() => '---')), ...rows.map(line)].join('');
}

/** A name as code. */
export function code(name: string): string {
  return `\`${name}\``;
}

/** Names as code, with commas. */
export function codes(names: readonly string[]): string {
  return names.map(code).join(', ');
}

/** A list of what is there; the entries that are null are left out. */
export function list(entries: readonly (readonly [title: string, text: string | null])[]): string {
  return entries
    .filter(([, text]) => text !== null)
    .map(([title, text]) => `- ${title}: ${text}\n`)
    .join('');
}

/** A block of text as it is. */
export function block(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;
}

/** The text with a capital at the beginning and a full stop at the end. */
export function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
