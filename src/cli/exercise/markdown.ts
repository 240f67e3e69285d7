/**
 * @module
 * Markdown of statements and hints as plain text for a terminal, without characters that control it.
 */

import type { Block, Inline } from '../../exercise/markdown/blocks.ts';
import { blocksOf, inlinesOf } from '../../exercise/markdown/blocks.ts';
import { textColumns } from '../shell/layout.ts';

/** Characters of a line. */
const LINE_MAX = 92;
const CODE_INDENT = '    ';

/** The text, with lines that are filled again. */
export function terminalText(markdown: string): string {
  return `${linesOf(blocksOf(markdown), LINE_MAX).join('\n')}\n`;
}

/** The lines of blocks, with an empty line between two of them. */
function linesOf(blocks: readonly Block[], width: number): readonly string[] {
  return blocks.flatMap((block, index) => {
    const lines = blockLines(block, width);
    return index === 0 ? lines : ['', ...lines];
  });
}

function blockLines(block: Block, width: number): readonly string[] {
  switch (block.type) {
    case 'code':
      return block.text.split('\n').map((line) => `${CODE_INDENT}${line}`);
    case 'list':
      return block.items.flatMap((item, index) => {
        const marker = block.start === null ? '- ' : `${block.start + index}. `;
        const indent = ' '.repeat(marker.length);
        const lines = linesOf(item, width - marker.length);
        return lines.map((line, at) => `${at === 0 ? marker : indent}${line}`.trimEnd());
      });
    case 'table': {
      const rows = block.rows.map((row) => row.map((cell) => plainText(inlinesOf(cell))));
      return textColumns(rows).trimEnd().split('\n');
    }
    default:
      return filled(plainText(inlinesOf(block.text)), width);
  }
}

/** Code keeps its marks, because a terminal has no other ones. */
function plainText(parts: readonly Inline[]): string {
  const texts = parts.map((part) => {
    if (part.type === 'code') return `\`${part.text}\``;
    if (part.type === 'strong') return plainText(part.content);
    return part.type === 'link' ? `${part.text} (${part.address})` : part.text;
  });
  return texts.join('');
}

/** Lines of at most this width. Code between marks stays in one line, so that it can be copied. */
function filled(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.match(/(?:`[^`]*`|\S)+/g) ?? []) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= width || line === '') line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}
