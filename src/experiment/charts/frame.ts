/**
 * @module
 * What surrounds every chart: title, sentence and legend above it, notes, data file and replay command
 * below it, and a description for screen readers. The result is one SVG document without scripts,
 * fonts or links. The same input gives the same bytes.
 */

import type { Attributes } from '../../simulation/report/space-time/svg-elements.ts';
import {
  element,
  escapeXml,
  group,
  title,
} from '../../simulation/report/space-time/svg-elements.ts';
import type { Chart, PictureInput } from './data.ts';
import type { Font } from './lettering.ts';
import {
  CODE,
  cut,
  PLAIN,
  paragraphLines,
  px,
  SMALL,
  text,
  textWidth,
  visible,
} from './lettering.ts';
import { STYLE } from './palette.ts';
import { refusalsOf, refusalText, seedNote, setupText } from './result-table.ts';

export const WIDTH = 760;
export const MARGIN = 20;
const INNER_WIDTH = WIDTH - 2 * MARGIN;
/** Maximum lines of a title or a command. Ordinary ones have a few. */
const LINES_MAX = 24;

/** An entry of the legend. The symbol's left edge is at 0 and its middle is at height 0. */
export interface LegendItem {
  readonly symbol: string;
  readonly symbolWidth: number;
  readonly label: string;
}

/** A drawn chart, as wide as the picture. Its upper left corner is at 0. */
export interface Body {
  readonly markup: readonly string[];
  readonly height: number;
  readonly legend: readonly LegendItem[];
  /** Elements that the markup refers to. */
  readonly definitions: readonly string[];
}

interface Block {
  readonly markup: readonly string[];
  /** Top of what follows. */
  readonly y: number;
}

/** What stands around a chart. */
export interface Caption {
  readonly title: string;
  readonly sentence: string;
  /** The lines below the chart, by the names in front of them. */
  readonly lines: readonly FootLine[];
}

type FootLine = readonly [name: string, content: string, font: Font];

/** The whole document of a chart of a sweep. */
export function framed(input: PictureInput, chart: Chart, body: Body): string {
  const { title: heading, sentence } = input;
  return framedBy({ title: heading, sentence, lines: footLines(input) }, chart, body);
}

/** The whole document. */
export function framedBy(
  caption: Caption,
  chart: Pick<Chart, 'name' | 'title' | 'notes'>,
  body: Body,
): string {
  const head = stacked(MARGIN, [
    [caption.title, { ...PLAIN, size: 16, isBold: true }, 'ink'],
    [chart.title, { ...PLAIN, size: 13 }, 'ink'],
    [caption.sentence, PLAIN, 'soft'],
  ]);
  const legend = legendOf(body.legend, head.y + 4);
  const foot = footOf(caption, chart.notes, legend.y + body.height);
  const height = px(foot.y + MARGIN / 2);
  const [titleId, descId] = [`${chart.name}-title`, `${chart.name}-desc`];
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    class: 'usurp-picture',
    width: WIDTH,
    height,
    viewBox: `0 0 ${WIDTH} ${height}`,
    role: 'img',
    'aria-labelledby': `${titleId} ${descId}`,
    'font-family': PLAIN.family,
    'font-size': PLAIN.size,
  };
  const heading = `${visible(caption.title)}: ${visible(chart.title)}`;
  const parts = [caption.sentence, ...chart.notes, ...dataOf(caption)].map(visible);
  // Some of the parts end in a full stop.
  const description = parts.join('. ').replaceAll('.. ', '. ');
  return `${group('svg', attributes, [
    element('title', { id: titleId }, escapeXml(heading)),
    element('desc', { id: descId }, escapeXml(description)),
    element('style', {}, STYLE),
    ...(body.definitions.length === 0 ? [] : [group('defs', {}, body.definitions)]),
    element('rect', { ...paint('paper'), width: WIDTH, height }),
    ...head.markup,
    ...legend.markup,
    group('g', { transform: `translate(0 ${px(legend.y)})` }, body.markup),
    ...foot.markup,
  ])}\n`;
}

/** The name of the data file, for the description. */
function dataOf({ lines }: Caption): string[] {
  return lines.flatMap(([name, content]) => (name === 'data' ? [`Data: ${content}`] : []));
}

/** Attributes that fill with a colour of the palette. */
export function paint(colour: string): Attributes {
  return { class: colour, fill: 'currentColor' };
}

/** Attributes that draw lines in a colour of the palette. */
export function stroke(colour: string, width = 1): Attributes {
  return { class: colour, fill: 'none', stroke: 'currentColor', 'stroke-width': width };
}

/** A group with a text that appears when the pointer is over it. */
export function withTooltip(
  tooltip: string,
  attributes: Attributes,
  ...children: string[]
): string {
  return element('g', attributes, title(visible(tooltip)), ...children);
}

/** The name of an axis above its left end. */
export function axisTitle(label: string, y: number): string {
  return text(cut(label, INNER_WIDTH, PLAIN), { x: MARGIN, y, ...paint('ink') });
}

/** Maximum number of reasons of refusals below a chart. */
const REFUSALS_MAX = 3;

/** The lines below a chart, by the names in front of them. */
function footLines(input: PictureInput): readonly FootLine[] {
  const seeds = seedNote(input.seedRule, input.cells);
  const refusals = refusalsOf(input.axes, input.cells);
  const more = refusals.length - REFUSALS_MAX;
  return [
    ['setup', setupText(input), SMALL],
    ...(seeds === null ? [] : [['seeds', seeds, SMALL] as const]),
    ...refusals
      .slice(0, REFUSALS_MAX)
      .map(
        (refusal, index) => [index === 0 ? 'refused' : '', refusalText(refusal), SMALL] as const,
      ),
    ...(more > 0 ? [['', `and ${more} more reasons: see the data file`, SMALL] as const] : []),
    ...(input.dataFile === '' ? [] : [['data', input.dataFile, CODE] as const]),
    ['replay', input.replay, CODE],
  ];
}

function footOf({ lines }: Caption, remarks: readonly string[], top: number): Block {
  const notes = stacked(
    top,
    remarks.map((note) => [note, SMALL, 'soft'] as const),
  );
  const markup = [
    ...notes.markup,
    element('path', { ...stroke('grid'), d: `M${MARGIN} ${px(notes.y + 4)}h${INNER_WIDTH}` }),
  ];
  let y = notes.y + 8;
  for (const [name, content, font] of lines) {
    const block = paragraph(content, font, y, paint(font === CODE ? 'ink' : 'soft'), 60);
    const at = { x: MARGIN, y: y + font.size + 2 };
    markup.push(text(name, { ...at, ...paint('soft') }, SMALL), ...block.markup);
    y = block.y;
  }
  return { markup, y };
}

/** Paragraphs one below the other. */
function stacked(top: number, paragraphs: readonly (readonly [string, Font, string])[]): Block {
  const markup: string[] = [];
  let y = top;
  for (const [content, font, colour] of paragraphs) {
    const block = paragraph(content, font, y, paint(colour));
    markup.push(...block.markup);
    y = block.y;
  }
  return { markup, y };
}

function paragraph(
  content: string,
  font: Font,
  top: number,
  attributes: Attributes,
  indent = 0,
): Block {
  const lineHeight = Math.round(font.size * 1.35);
  const lines = paragraphLines(content, { width: INNER_WIDTH - indent, linesMax: LINES_MAX }, font);
  const markup = lines.map((line, index) => {
    const y = top + font.size + 2 + index * lineHeight;
    return text(line, { x: MARGIN + indent, y, ...attributes }, font);
  });
  return { markup, y: top + lines.length * lineHeight + (lines.length > 0 ? 3 : 0) };
}

function legendOf(items: readonly LegendItem[], top: number): Block {
  if (items.length === 0) return { markup: [], y: top };
  const [lineHeight, gap] = [19, 18];
  const markup: string[] = [];
  let [x, y] = [MARGIN, top + 12];
  for (const { symbol, symbolWidth, label } of items) {
    const shown = cut(label, INNER_WIDTH - symbolWidth - 6, PLAIN);
    const width = symbolWidth + 6 + textWidth(shown, PLAIN);
    if (x > MARGIN && x + width > WIDTH - MARGIN) [x, y] = [MARGIN, y + lineHeight];
    const words = text(shown, { x: symbolWidth + 6, y: 4, ...paint('ink') });
    markup.push(element('g', { transform: `translate(${px(x)} ${px(y)})` }, symbol, words));
    x += width + gap;
  }
  return { markup, y: y + lineHeight };
}
