/**
 * @module
 * This folder turns the cells of a sweep into charts, and charts into SVG documents and a page. It is
 * pure: the same input gives the same bytes in a file and in a browser.
 */

import { chartsOf } from './charts.ts';
import type { Chart, PictureInput, PictureKind } from './data.ts';
import type { Body } from './frame.ts';
import { framed } from './frame.ts';
import { drawHeatChart } from './heat-chart.ts';
import { drawLineChart } from './line-chart.ts';
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

function bodyOf(chart: Chart): Body {
  if (chart.type === 'heat') return drawHeatChart(chart);
  const { x } = chart;
  return x.type === 'names' ? drawRowChart(chart, x) : drawLineChart(chart, x);
}
