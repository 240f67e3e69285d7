/**
 * @module
 * Markdown of exercises: what statements use, and hostile statements, of which no character controls a terminal.
 */

import { describe, expect, it } from 'vitest';

import { terminalText } from '../../src/cli/exercise/showing.ts';
import type { Block } from '../../src/exercise/markdown/blocks.ts';
import { blocksOf, inlinesOf } from '../../src/exercise/markdown/blocks.ts';
import { HOSTILE_STATEMENT } from './hostile-markdown.ts';

/** The most that a document accepts. */
const CHARACTERS = 8_000;
/** Characters that a terminal obeys, and those that change the direction of text. */
const CONTROLS = /(?!\n)[\p{Cc}\p{Bidi_Control}]/u;

describe('the marks of a line', () => {
  it.each([
    ['a `b` **c `d`** *e*', ['text', 'code', 'text', 'strong', 'text', 'emphasis']],
    ['[page](https://lab.example/a)', ['link']],
    ['![picture](https://lab.example/a.png)', ['link']],
    ['[script](javascript:attacked())', ['text']],
    ['[page](data:text/html,x)', ['text']],
    ['[page](//lab.example)', ['text']],
    ['<img src=x onerror=attacked()>', ['text']],
    ['\\*no emphasis\\*', ['text', 'text', 'text']],
  ])('of %s are %j', (text, types) => {
    expect(inlinesOf(text).map(({ type }) => type)).toEqual(types);
  });
});

describe('the blocks of a text', () => {
  it('are those that statements use', () => {
    const text = '# A\n\nB\nb\n\n- C\n  - D\n\n3. E\n\n| F | G |\n|---|---|\n| H | I |\n\n```\nJ';

    expect(blocksOf(text)).toEqual([
      { type: 'heading', level: 1, text: 'A' },
      { type: 'paragraph', text: 'B b' },
      {
        type: 'list',
        start: null,
        items: [
          [
            { type: 'paragraph', text: 'C' },
            { type: 'list', start: null, items: [[{ type: 'paragraph', text: 'D' }]] },
          ],
        ],
      },
      { type: 'list', start: 3, items: [[{ type: 'paragraph', text: 'E' }]] },
      {
        type: 'table',
        rows: [
          ['F', 'G'],
          ['H', 'I'],
        ],
      },
      { type: 'code', text: 'J' },
    ]);
  });
});

describe('a hostile statement', () => {
  const long = (part: string) => part.repeat(Math.ceil(CHARACTERS / part.length));
  const statements: readonly (readonly [string, string])[] = [
    ['of all kinds', HOSTILE_STATEMENT],
    ...[
      '- ',
      '> ',
      '1. ',
      '[',
      '[a](',
      '![a](https://a',
      '**',
      '*a',
      '`',
      '\n```\n',
      '| ',
      '#',
    ].map((part) => [`of ${JSON.stringify(part)} alone`, long(part)] as const),
    ['of lists in lists', Array.from({ length: 120 }, (_, n) => `${' '.repeat(n)}- a`).join('\n')],
    ['of a rule with spaces', `|a|\n|-|${' '.repeat(CHARACTERS)}x`],
    ['of escapes', long('\u001b[2J\u009b\u202e\u0007')],
  ];

  it.each(statements)(
    '%s has no deep nesting, and nothing that a terminal obeys',
    (_name, text) => {
      const blocks = blocksOf(text.slice(0, CHARACTERS));

      expect(depthOf(blocks)).toBeLessThanOrEqual(5);
      expect(JSON.stringify(blocks)).not.toMatch(CONTROLS);
      expect(terminalText(text.slice(0, CHARACTERS))).not.toMatch(CONTROLS);
    },
  );
});

function depthOf(blocks: readonly Block[]): number {
  const inner = blocks.map((block) => {
    return block.type === 'list' ? Math.max(...block.items.map(depthOf)) : 0;
  });
  return 1 + Math.max(0, ...inner);
}
