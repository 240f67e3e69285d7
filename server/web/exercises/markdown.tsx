/**
 * @module
 * Markdown of statements and hints as elements: headings, paragraphs, lists, code and tables. HTML in the text stays text.
 */

import type { ComponentChildren } from 'preact';
import { Scrolling } from '../parts/scrolling.tsx';
import type { Block } from './markdown-blocks.ts';
import { blocksOf } from './markdown-blocks.ts';

/** A text in Markdown. Its headings are below those of the page. */
export function Markdown({ text }: { readonly text: string }) {
  return <div class="statement">{blocksOf(text.split(/\r?\n/)).map(shown)}</div>;
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

/** Code, strong words, emphasis and links. */
const INLINE =
  /\\([!-/:-@[-`{-~])|(?<!`)(`{1,3})(?!`)([^`]+)\2(?!`)|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/g;

function inline(text: string): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, escaped, , code, strong, emphasis, words, address] = match;
    parts.push(text.slice(end, match.index));
    if (escaped !== undefined) parts.push(escaped);
    else if (code !== undefined) parts.push(<code>{code}</code>);
    else if (strong !== undefined) parts.push(<strong>{inline(strong)}</strong>);
    else if (emphasis !== undefined) parts.push(<em>{inline(emphasis)}</em>);
    else if (address !== undefined) parts.push(<a href={address}>{words}</a>);
    end = match.index + whole.length;
  }
  return [...parts, text.slice(end)];
}
