/**
 * @module
 * Markdown of statements and hints as elements: headings, paragraphs, lists, code and tables. HTML in the text stays text.
 */

import type { ComponentChildren } from 'preact';

import type { Block, Inline } from '../../../src/exercise/markdown/blocks.ts';
import { blocksOf, inlinesOf } from '../../../src/exercise/markdown/blocks.ts';
import { Scrolling } from '../parts/scrolling.tsx';

/** A text in Markdown. Its headings are below those of the page. */
export function Markdown({ text }: { readonly text: string }) {
  return <div class="statement">{blocksOf(text).map(shown)}</div>;
}

function shown(block: Block, index: number) {
  switch (block.type) {
    case 'heading': {
      const Heading = block.level === 1 ? 'h3' : block.level === 2 ? 'h4' : 'h5';
      return <Heading key={index}>{inline(block.text)}</Heading>;
    }
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <pre key={index} tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case 'list': {
      const items = block.items.map((item, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no other identity
        <li key={position}>{itemContent(item)}</li>
      ));
      return block.start === null ? (
        <ul key={index}>{items}</ul>
      ) : (
        <ol key={index} start={block.start}>
          {items}
        </ol>
      );
    }
    case 'table':
      return <Table key={index} rows={block.rows} />;
    default:
      return <p key={index}>{inline(block.text)}</p>;
  }
}

/** An item that is one paragraph is a line of the list. */
function itemContent(blocks: readonly Block[]): ComponentChildren {
  const [first, ...others] = blocks;
  if (first?.type !== 'paragraph') return blocks.map(shown);
  return [inline(first.text), ...others.map((block, index) => shown(block, index + 1))];
}

function Table({ rows: [head = [], ...rows] }: { readonly rows: readonly (readonly string[])[] }) {
  return (
    <Scrolling label={`Table of ${head.join(', ')}`}>
      <table>
        <thead>
          <tr>
            {head.map((cell) => (
              <th key={cell} scope="col">
                {inline(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
            <tr key={index}>
              {head.map((name, column) => (
                <td key={name}>{inline(row[column] ?? '')}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}

function inline(text: string): ComponentChildren {
  return inlinesOf(text).map(mark);
}

function mark(part: Inline, index: number): ComponentChildren {
  switch (part.type) {
    case 'code':
      return <code key={index}>{part.text}</code>;
    case 'strong':
      return <strong key={index}>{part.content.map(mark)}</strong>;
    case 'emphasis':
      return <em key={index}>{part.text}</em>;
    case 'link':
      return (
        <a key={index} href={part.address} rel="noreferrer">
          {part.text}
        </a>
      );
    default:
      return part.text;
  }
}
