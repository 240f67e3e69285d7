/**
 * @module
 * What every picture has around what it shows: title, sentence and legend above, notes, data file and
 * replay command below, and what a reader who cannot see it hears. One SVG document without scripts,
 * fonts or anything else from elsewhere; the same bytes for the same input.
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

export const WIDTH = 760;
export const MARGIN = 20;
const INNER = WIDTH - 2 * MARGIN;
/** Of a title or a command; ordinary ones have a few. */
const LINES_MAX = 24;

/** An entry of the legend: a symbol drawn around the middle of its left edge, and its words. */
export interface LegendItem {
  readonly symbol: string;
  readonly symbolWidth: number;
  readonly words: string;
}

/** A drawn chart, its upper left corner at 0, as wide as the picture. */
export interface Body {
  readonly markup: readonly string[];
  readonly height: number;
  readonly legend: readonly LegendItem[];
  /** Elements that the markup refers to. */
  readonly definitions: readonly string[];
}

interface Block {
  readonly markup: readonly string[];
  /** Of what follows. */
  readonly y: number;
}

/** The whole document. */
export function framed(input: PictureInput, chart: Chart, body: Body): string {
  const head = headOf(input, chart, MARGIN);
  const legend = legendOf(body.legend, head.y);
  const foot = footOf(input, chart, legend.y + body.height);
  const height = px(foot.y + MARGIN / 2);
  const [titleId, descId] = [`${chart.name}-title`, `${chart.name}-desc`];
  const root = {
    xmlns: 'http://www.w3.org/2000/svg',
    ...{ class: 'usurp-picture', width: WIDTH, height, viewBox: `0 0 ${WIDTH} ${height}` },
    ...{ role: 'img', 'aria-labelledby': `${titleId} ${descId}` },
    ...{ 'font-family': 'sans-serif', 'font-size': PLAIN.size },
  };
  const heading = `${visible(input.title)}: ${visible(chart.title)}`;
  const description = [input.sentence, ...chart.notes, `Data: ${input.dataFile}`].map(visible);
  return `${group('svg', root, [
    element('title', { id: titleId }, escapeXml(heading)),
    element('desc', { id: descId }, escapeXml(description.join('. '))),
    element('style', {}, STYLE),
    ...(body.definitions.length === 0 ? [] : [group('defs', {}, body.definitions)]),
    element('rect', { ...paint('paper'), width: WIDTH, height }),
    ...head.markup,
    ...legend.markup,
    group('g', { transform: `translate(0 ${px(legend.y)})` }, body.markup),
    ...foot.markup,
  ])}\n`;
}

/** A colour by its use, for filling. */
export function paint(name: string): Attributes {
  return { class: name, fill: 'currentColor' };
}

/** A colour by its use, for lines. */
export function stroke(name: string, width = 1): Attributes {
  return { class: name, fill: 'none', stroke: 'currentColor', 'stroke-width': width };
}

/** A mark with the words that a pointer over it shows. */
export function told(words: string, attributes: Attributes, ...children: string[]): string {
  return element('g', attributes, title(visible(words)), ...children);
}

function headOf({ title: heading, sentence }: PictureInput, chart: Chart, top: number): Block {
  const large = { ...PLAIN, size: 16, isBold: true };
  const medium = { ...PLAIN, size: 13 };
  const first = paragraph(heading, large, top, paint('ink'));
  const second = paragraph(chart.title, medium, first.y, paint('ink'));
  const third = paragraph(sentence, PLAIN, second.y, paint('soft'));
  return { markup: [...first.markup, ...second.markup, ...third.markup], y: third.y + 4 };
}

function footOf({ dataFile, replay }: PictureInput, chart: Chart, top: number): Block {
  const markup: string[] = [];
  let y = top;
  for (const note of chart.notes) {
    const block = paragraph(note, SMALL, y, paint('soft'));
    markup.push(...block.markup);
    y = block.y;
  }
  y += 4;
  markup.push(element('path', { ...stroke('grid'), d: `M${MARGIN} ${px(y)}H${WIDTH - MARGIN}` }));
  y += 4;
  for (const [name, words] of [
    ['data', dataFile],
    ['replay', replay],
  ] as const) {
    const block = paragraph(words, CODE, y, paint('ink'), 60);
    markup.push(
      text(name, { x: MARGIN, y: y + CODE.size + 2, ...paint('soft') }, SMALL),
      ...block.markup,
    );
    y = block.y;
  }
  return { markup, y };
}

/** Lines of text from `top` on, indented by `indent`. */
function paragraph(
  words: string,
  font: Font,
  top: number,
  attributes: Attributes,
  indent = 0,
): Block {
  const lineHeight = Math.round(font.size * 1.35);
  const lines = paragraphLines(words, { width: INNER - indent, linesMax: LINES_MAX }, font);
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
  for (const { symbol, symbolWidth, words } of items) {
    const shown = cut(words, INNER - symbolWidth - 6, PLAIN);
    const width = symbolWidth + 6 + textWidth(shown, PLAIN);
    if (x > MARGIN && x + width > WIDTH - MARGIN) [x, y] = [MARGIN, y + lineHeight];
    const label = text(shown, { x: symbolWidth + 6, y: 4, ...paint('ink') });
    markup.push(element('g', { transform: `translate(${px(x)} ${px(y)})` }, symbol, label));
    x += width + gap;
  }
  return { markup, y: y + lineHeight };
}
