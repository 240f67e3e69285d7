/**
 * @module
 * A statement in Markdown as plain text for a terminal. It knows what statements of exercises use: paragraphs, lists, code
 * blocks, and marks of strong text and code within a line.
 */

import { printable } from '../shell/terminal.ts';

/** Characters of a line. */
const LINE_MAX = 92;

const LIST_ITEM = /^(\s*)(\d+\.|[-*])\s+/;
const FENCE = /^\s*```/;

/** The text, with lines that are filled again and without characters that control a terminal. */
export function terminalText(markdown: string): string {
  const lines: string[] = [];
  let block: string[] = [];
  let isCode = false;
  const end = () => {
    if (block.length > 0) lines.push(...filled(block.join(' ')));
    block = [];
  };
  for (const line of printable(markdown).split('\n')) {
    if (FENCE.test(line)) {
      end();
      isCode = !isCode;
    } else if (isCode) {
      lines.push(`    ${line}`);
    } else if (line.trim() === '') {
      end();
      if (lines.at(-1) !== '') lines.push('');
    } else {
      if (LIST_ITEM.test(line)) end();
      block.push(block.length === 0 ? line.trimEnd() : line.trim());
    }
  }
  end();
  return `${lines.join('\n').trimEnd()}\n`;
}

/** A paragraph or an item of a list, whose further lines are indented like its text. */
function filled(paragraph: string): string[] {
  const text = paragraph.replaceAll(/\*\*([^*]+)\*\*/g, '$1');
  const [marker = ''] = LIST_ITEM.exec(text) ?? [];
  const lines: string[] = [];
  let line = marker.trimEnd();
  const indent = ' '.repeat(marker.length);
  for (const word of wordsOf(text.slice(marker.length))) {
    const longer = line === '' ? `${indent}${word}` : `${line} ${word}`;
    if (longer.length <= LINE_MAX || line.trim() === '') line = longer;
    else {
      lines.push(line);
      line = `${indent}${word}`;
    }
  }
  return [...lines, line];
}

/** Words, with code between backticks in one piece, so that it can be copied from a line. */
function wordsOf(text: string): string[] {
  return text.match(/(?:`[^`]*`|\S)+/g) ?? [];
}
