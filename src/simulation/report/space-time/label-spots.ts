/**
 * @module
 * Where the texts of a space-time diagram stand. A text is to the right of its mark, or where it crosses fewer arrows,
 * lifelines, marks and other texts. It must not draw.
 */

import type { Layout, Point } from './layout.ts';
import { element, escapeXml, group } from './svg-elements.ts';
import type { SymbolName } from './symbols.ts';
import { LINES, MARKS } from './symbols.ts';

/** A text to locate on the right of `x`, or on its left. */
export interface PlacedText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  /** Whether it may not be on the left, where it would seem to belong to another column. */
  readonly isRight?: boolean;
}

/** The location of a text: its baseline, and whether it begins or ends there. */
export interface TextLocation {
  readonly x: number;
  readonly y: number;
  readonly anchor: 'start' | 'end';
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Between a mark and its text. */
export const LABEL_GAP = 16;
/** Larger diagrams have all texts on the right: to compare all pairs would take long. */
export const PAIRS_MAX = 250_000;

/** Half of the height of a text, its distance from the baseline, and how far it may move up or down. */
const HALF_HEIGHT = 6;
const BASELINE = 4;
const SHIFT = 9;
/** Half of the size of a mark. */
const MARK = 7;
/** How much worse each is than an arrow behind the text. */
const COSTS = { shift: 0.3, arrow: 1, life: 3, mark: 6, text: 10, outside: 100 };

/** How often each text is placed: the first time without knowing the later ones. */
const ROUNDS = 2;

/** The location of each text, in their order. */
export function textLocations(
  texts: readonly PlacedText[],
  layout: Layout,
  frame: { readonly left: number; readonly right: number },
): readonly TextLocation[] {
  const locations = texts.map(rightOf);
  const { arrows, marks } = layout;
  if (texts.length * (arrows.length + marks.length) > PAIRS_MAX) return locations;
  const ends = arrows.filter(({ fate }) => fate === 'lost' || fate === 'open');
  const spots = [...marks, ...ends.map(({ to }) => to)].map(around);
  const taken: (Box | null)[] = texts.map(() => null);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, placed] of texts.entries()) {
      if (placed.text === '') continue;
      taken[index] = null;
      const location = bestLocation(placed, (box) => costOf(box, { layout, spots, taken, frame }));
      locations[index] = location;
      taken[index] = boxOf(location, placed.text);
    }
  }
  return locations;
}

function bestLocation(placed: PlacedText, costAt: (box: Box) => number): TextLocation {
  let best = rightOf(placed);
  let least = Number.POSITIVE_INFINITY;
  for (const { location, shift } of candidatesOf(placed)) {
    const cost = shift * COSTS.shift + costAt(boxOf(location, placed.text));
    if (cost < least) [best, least] = [location, cost];
    if (cost === 0) break;
  }
  return best;
}

interface Surroundings {
  readonly layout: Layout;
  readonly spots: readonly Box[];
  readonly taken: readonly (Box | null)[];
  readonly frame: { readonly left: number; readonly right: number };
}

function costOf(box: Box, { layout, spots, taken, frame }: Surroundings): number {
  const isOutside = box.left < frame.left || box.right > frame.right;
  const { arrows, columns } = layout;
  return (
    (isOutside ? COSTS.outside : 0) +
    COSTS.arrow * arrows.filter(({ from, to }) => crosses(from, to, box)).length +
    COSTS.life * columns.filter(({ x }) => x > box.left - 2 && x < box.right + 2).length +
    COSTS.mark * spots.filter((spot) => overlaps(spot, box)).length +
    COSTS.text * taken.filter((other) => other !== null && overlaps(other, box)).length
  );
}

function rightOf({ x, y }: PlacedText): TextLocation {
  return { x: x + LABEL_GAP, y: y + BASELINE, anchor: 'start' };
}

function candidatesOf(
  placed: PlacedText,
): { readonly location: TextLocation; readonly shift: number }[] {
  const right = rightOf(placed);
  const left: TextLocation = { ...right, x: placed.x - LABEL_GAP, anchor: 'end' };
  return [0, -1, 1].flatMap((shift) =>
    (placed.isRight === true ? [right] : [right, left]).map((side) => ({
      location: { ...side, y: side.y + shift * SHIFT },
      shift: Math.abs(shift),
    })),
  );
}

function boxOf({ x, y, anchor }: TextLocation, text: string): Box {
  const width = [...text].length * CHARACTER_WIDTH;
  const left = anchor === 'start' ? x : x - width;
  const middle = y - BASELINE;
  return { left, right: left + width, top: middle - HALF_HEIGHT, bottom: middle + HALF_HEIGHT };
}

function around({ x, y }: Point): Box {
  return { left: x - MARK, right: x + MARK, top: y - MARK, bottom: y + MARK };
}

function overlaps(one: Box, other: Box): boolean {
  const isBeside = one.right <= other.left || other.right <= one.left;
  return !isBeside && one.top < other.bottom && other.top < one.bottom;
}

/** Whether a stroke touches a box (Liang and Barsky 1984). */
function crosses(from: Point, to: Point, { left, right, top, bottom }: Box): boolean {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  let [first, last] = [0, 1];
  for (const [step, room] of [
    [-dx, from.x - left],
    [dx, right - from.x],
    [-dy, from.y - top],
    [dy, bottom - from.y],
  ] as const) {
    if (step === 0) {
      if (room < 0) return false;
    } else if (step < 0) first = Math.max(first, room / step);
    else last = Math.min(last, room / step);
  }
  return first <= last;
}

/**
 * The font of the whole diagram. The head of a space-time diagram: its heading, and each symbol that occurs in it
 * with its meaning, in lines as wide as the diagram.
 */
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
