/**
 * @module
 * This folder turns the cells of a sweep into charts, and charts into SVG documents and a page. It is
 * pure: the same input gives the same bytes in a file and in a browser.
 */

import { element, escapeXml, group } from '../../simulation/report/space-time/svg-elements.ts';
import { chartsOf } from './charts.ts';
import type { Chart, PageTable, PictureInput, PictureKind } from './data.ts';
import type { Body } from './frame.ts';
import { framed } from './frame.ts';
import { drawHeatChart } from './heat-chart.ts';
import { visible } from './lettering.ts';
import { drawLineChart } from './line-chart.ts';
import { PAGE_STYLE } from './palette.ts';
import { refusalsOf, refusalText, resultTable, seedNote, withClosedForms } from './result-table.ts';
import { drawRowChart } from './row-chart.ts';

export interface Picture {
  readonly kind: PictureKind;
  /** Unique among the pictures of a sweep and usable in a file name, such as `frontier-2`. */
  readonly name: string;
  readonly title: string;
  /** An SVG document that loads nothing. */
  readonly svg: string;
}

/** The pictures that fit the sweep, at least one, in the order in which they are shown. */
export function drawSweep(input: PictureInput): readonly Picture[] {
  return chartsOf(input).map((chart) => {
    const { kind, name, title } = chart;
    return { kind, name, title, svg: framed(input, chart, bodyOf(chart)) };
  });
}

/** Draws a chart without what surrounds it. */
export function bodyOf(chart: Chart): Body {
  if (chart.type === 'heat') return drawHeatChart(chart);
  const { x } = chart;
  return x.type === 'names' ? drawRowChart(chart, x) : drawLineChart(chart, x);
}

const STYLE = `:root{color-scheme:light dark}body{margin:1.5rem auto;padding:0 1rem;max-width:1100px;font:15px/1.5 sans-serif}svg{display:block;width:100%;max-width:760px;min-width:600px;height:auto}figure{margin:0 0 2rem;overflow-x:auto}h1,p,pre,figure{max-width:800px}.wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}td{white-space:nowrap}th,td{padding:.15rem .7rem .15rem 0;text-align:left;vertical-align:top;border-bottom:1px solid color-mix(in srgb,currentColor 20%,transparent)}pre{white-space:pre-wrap;overflow-wrap:anywhere}${PAGE_STYLE}`;

/** The page of a sweep as HTML. */
export function picturePage(pictures: readonly Picture[], page: PictureInput): string {
  const svgs = pictures.map(({ svg }) => svg);
  return htmlPage(page, svgs, [
    ...resultSection(page),
    ...(page.comparison?.tables ?? []).flatMap(tableSection),
    ...(page.dataFile === ''
      ? []
      : [
          element('h2', {}, 'Source'),
          element('p', {}, 'Data: ', element('code', {}, escapeXml(visible(page.dataFile)))),
        ]),
  ]);
}

/** A page that loads nothing: pictures, sections as markup, and the replay command. */
export function htmlPage(
  page: Pick<PictureInput, 'title' | 'sentence' | 'replay'>,
  svgs: readonly string[],
  sections: readonly string[],
): string {
  const policy = {
    'http-equiv': 'Content-Security-Policy',
    content: "default-src 'none'; style-src 'unsafe-inline'",
  };
  const viewport = { name: 'viewport', content: 'width=device-width, initial-scale=1' };
  const heading = escapeXml(visible(page.title));
  return `${[
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    element('meta', { charset: 'utf-8' }),
    element('meta', policy),
    element('meta', viewport),
    element('title', {}, heading),
    element('style', {}, STYLE),
    '</head>',
    '<body>',
    element('h1', {}, heading),
    element('p', {}, escapeXml(visible(page.sentence))),
    ...svgs.map((svg) => element('figure', { tabindex: 0 }, '\n', svg)),
    ...sections,
    element('p', {}, 'Replay:'),
    element('pre', {}, element('code', {}, escapeXml(visible(page.replay)))),
    '</body>',
    '</html>',
  ].join('\n')}\n`;
}

/** Maximum number of rows on a page. */
const ROWS_MAX = 1000;

function written(text: string): string {
  return escapeXml(visible(text));
}

/** A table with its title and notes, as markup. Without a title or rows it has none. */
export function tableSection({ title, head, rows, notes }: PageTable): string[] {
  const rowOf = (name: 'th' | 'td', values: readonly string[]) =>
    element('tr', {}, ...values.map((value) => element(name, {}, value)));
  // A long name breaks after a word of it, so that a table of usual width needs no scrolling.
  const top = rowOf(
    'th',
    head.map((name) => written(name).replaceAll('_', '_<wbr>')),
  );
  const body = rows.map((row) => rowOf('td', row.map(written)));
  // A region that scrolls must be reachable by keyboard.
  const region = { class: 'wide', role: 'region', tabindex: 0, 'aria-label': visible(title) };
  return [
    ...(title === '' ? [] : [element('h2', {}, written(title))]),
    ...(rows.length === 0 ? [] : [element('div', region, group('table', {}, [top, ...body]))]),
    ...notes.map((text) => element('p', {}, written(text))),
  ];
}

/** The table of the cells, the note about their seeds, and the refusals. */
function resultSection(page: PictureInput): string[] {
  const { axes, cells, seedRule, dataFile } = page;
  const { columns, rows } = resultTable(axes, withClosedForms(page));
  const paragraphs = [
    ...(rows.length > ROWS_MAX
      ? [`${ROWS_MAX} of ${rows.length} cells; ${dataFile} has all.`]
      : []),
    ...[seedNote(seedRule, cells)].flatMap((note) => (note === null ? [] : [`Seeds: ${note}`])),
  ];
  const head = columns.map(({ name }) => name);
  const results = { title: 'Results', head, rows: rows.slice(0, ROWS_MAX), notes: paragraphs };
  const refusals = refusalsOf(axes, cells);
  return [
    ...tableSection(results),
    ...(refusals.length === 0 ? [] : [element('h2', {}, 'Cells that the document refuses')]),
    ...refusals.map((refusal) => element('p', {}, written(refusalText(refusal)))),
  ];
}
