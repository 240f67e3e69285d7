/**
 * @module
 * The head of a space-time diagram: its heading, and each symbol that occurs in it with its meaning, in lines
 * as wide as the diagram.
 */

import { element, escapeXml, group } from './svg-elements.ts';
import type { SymbolName } from './symbols.ts';
import { LINES, MARKS } from './symbols.ts';

/** The font of the whole diagram. */
export const TEXT = { 'font-family': 'monospace', 'font-size': 11 } as const;
/** Width of a character; monospaced fonts differ little. */
export const CHARACTER_WIDTH = 6.7;

const WIDTH_MIN = 600;
const MARGIN = 16;
const LINE_HEIGHT = 20;
/** Room for a mark, for a line, and before the next symbol. */
const MARK_WIDTH = 20;
const LINE_WIDTH = 46;
const ITEM_GAP = 20;

interface Item {
  readonly text: string;
  readonly symbol: string;
  readonly symbolWidth: number;
}

/** The markup and its size; at least `width` wide. */
export function drawLegend(
  heading: string,
  used: ReadonlySet<SymbolName>,
  width: number,
): { readonly lines: readonly string[]; readonly width: number; readonly height: number } {
  const widthMax = Math.max(width, WIDTH_MIN);
  const lines = [
    element(
      'text',
      { x: MARGIN, y: 22, 'font-size': 14, 'font-weight': 'bold' },
      escapeXml(heading),
    ),
  ];
  let x = MARGIN;
  let y = 46;
  for (const { text, symbol, symbolWidth } of itemsOf(used)) {
    const itemWidth = symbolWidth + Math.ceil(text.length * CHARACTER_WIDTH) + ITEM_GAP;
    if (x > MARGIN && x + itemWidth > widthMax) {
      x = MARGIN;
      y += LINE_HEIGHT;
    }
    const label = element('text', { x: symbolWidth, y: 4 }, text);
    lines.push(element('g', { transform: `translate(${x} ${y})` }, symbol, label));
    x += itemWidth;
  }
  return { lines: [group('g', {}, lines)], width: widthMax, height: y + LINE_HEIGHT };
}

function itemsOf(used: ReadonlySet<SymbolName>): Item[] {
  const marks = Object.entries(MARKS).map(([name, { text, path, attributes }]) => {
    const transform = 'translate(6 0)';
    const symbol = element('path', { transform, d: path, ...attributes });
    return { name, text, symbol, symbolWidth: MARK_WIDTH };
  });
  const lines = Object.entries(LINES).map(([name, { text, attributes }]) => {
    const symbol = element('path', { d: `M0 0H${LINE_WIDTH - 10}`, ...attributes });
    return { name, text, symbol, symbolWidth: LINE_WIDTH };
  });
  const names: ReadonlySet<string> = used;
  return [...marks, ...lines].filter(({ name }) => names.has(name));
}
