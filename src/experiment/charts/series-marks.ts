/**
 * @module
 * A series as it is drawn on any pair of axes: single runs, the closed form, the line between the
 * marks, their intervals, and the marks, each over the one before.
 */

import { element, group } from '../../simulation/report/space-time/svg-elements.ts';
import type { Series, Spot } from './data.ts';
import type { LegendItem } from './frame.ts';
import { paint, stroke, told } from './frame.ts';
import { px } from './lettering.ts';
import { seriesLook } from './palette.ts';

/** Pixels. */
export type Place = readonly [number, number];

/** Where a series is drawn. */
export interface Ground {
  place(spot: Spot): Place;
  /** Beside its place, so that the intervals of series do not hide each other. */
  readonly shift: Place;
  /** Whether x goes down in rows and y across. */
  readonly isRows: boolean;
}

const DASHES = '6 4';

export function drawSeries(series: Series, index: number, ground: Ground): string[] {
  const look = seriesLook(index);
  const { place, shift } = ground;
  const shifted = (spot: Spot): Place => {
    const [x, y] = place(spot);
    return [x + shift[0], y + shift[1]];
  };
  const samples = series.samples.map((spot) => {
    const [cx, cy] = shifted(spot);
    return element('circle', { cx: px(cx), cy: px(cy), r: 2.2 });
  });
  const line = series.isJoined && series.marks.length > 1;
  return [
    ...(samples.length === 0
      ? []
      : [group('g', { ...paint(look.class), 'fill-opacity': 0.5 }, samples)]),
    ...drawCurve(series.curve, index, { ...ground, place: ground.isRows ? shifted : place }),
    ...(line
      ? [element('path', { ...stroke(look.class), d: pathThrough(series.marks.map(shifted)) })]
      : []),
    ...series.marks.map((mark) => {
      const [x, y] = shifted(mark);
      const ends = (mark.interval ?? []).map((end) => shifted({ x: mark.x, y: end }));
      const bar = ends.length === 0 ? [] : [element('path', barAttributes(ends))];
      const shape = element('path', {
        d: look.shape,
        fill: 'currentColor',
        transform: `translate(${px(x)} ${px(y)})`,
      });
      return told(mark.words, { class: look.class }, ...bar, shape);
    }),
  ];
}

/** A line through the places. */
export function pathThrough(places: readonly Place[]): string {
  return places.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${px(x)} ${px(y)}`).join('');
}

/** The entries that say what the symbols of the series are. */
export function seriesLegend(
  series: readonly Series[],
  words: { readonly mark: string; readonly bar: string | null },
  isRows: boolean,
): LegendItem[] {
  const named = series.filter(({ label }) => label !== '');
  const some = (part: 'samples' | 'curve') => series.some((one) => one[part].length > 0);
  const items = series.map(({ label }, index) => {
    const look = seriesLook(index);
    const path = { d: look.shape, fill: 'currentColor', transform: 'translate(6 0)' };
    const symbol = element('path', { class: look.class, ...path });
    return { symbol, symbolWidth: 12, words: label === '' ? words.mark : label };
  });
  const name = named.length > 0 ? 'ink' : seriesLook(0).class;
  const hasBars = series.some(({ marks }) => marks.some(({ interval }) => interval !== null));
  return [
    ...items,
    ...(words.bar !== null && hasBars ? [barItem(name, words.bar)] : []),
    ...(some('curve') ? [curveItem(name, isRows)] : []),
    ...(some('samples') ? [sampleItem(name)] : []),
  ];
}

function barItem(name: string, words: string): LegendItem {
  const ends: Place[] = [
    [6, -7],
    [6, 7],
  ];
  return {
    symbol: element('path', { class: name, ...barAttributes(ends) }),
    symbolWidth: 12,
    words,
  };
}

function curveItem(name: string, isRows: boolean): LegendItem {
  const line = {
    ...stroke(name, 1.6),
    d: isRows ? 'M6-8V8' : 'M0 0H26',
    'stroke-dasharray': DASHES,
  };
  const symbolWidth = isRows ? 12 : 26;
  const { 'stroke-dasharray': _, ...solid } = line;
  return { symbol: element('path', isRows ? solid : line), symbolWidth, words: 'closed form' };
}

function sampleItem(name: string): LegendItem {
  const dot = element('circle', { ...paint(name), cx: 6, cy: 0, r: 2, 'fill-opacity': 0.5 });
  return { symbol: dot, symbolWidth: 12, words: 'one run (large marks: means)' };
}

function drawCurve(curve: readonly Spot[], index: number, ground: Ground): string[] {
  const line = stroke(seriesLook(index).class, 1.6);
  // Between rows there is nothing, and one value makes no line.
  if (ground.isRows || curve.length === 1) {
    return curve.map((spot) => {
      const [x, y] = ground.place(spot);
      const d = ground.isRows ? `M${px(x)} ${px(y - 8)}v16` : `M${px(x - 8)} ${px(y)}h16`;
      return element('path', { ...line, d });
    });
  }
  if (curve.length === 0) return [];
  const d = pathThrough(curve.map((spot) => ground.place(spot)));
  return [element('path', { ...line, d, 'stroke-dasharray': DASHES })];
}

/** An interval with its two ends, each with a short line across. */
function barAttributes(ends: readonly Place[]) {
  const [from = [0, 0], to = [0, 0]] = ends;
  const isUpright = from[0] === to[0];
  const caps = ends.map(([x, y]) =>
    isUpright ? `M${px(x - 3)} ${px(y)}h6` : `M${px(x)} ${px(y - 3)}v6`,
  );
  const d = `${pathThrough([from, to])}${caps.join('')}`;
  return { d, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.3 };
}
