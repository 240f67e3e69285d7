/**
 * @module
 * The charts of the runs of a threat model: how often each protocol had the property, and over epochs what honest nodes
 * and the adversary have spent up to each epoch, and below it the share of the runs with the property.
 */

import type { RunReport } from '../verdict/report.ts';
import type { Interval, WorkRow } from '../verdict/work-rows.ts';
import { numberAxis } from './axes.ts';
import type { LineChart, Mark, Panel, Series } from './data.ts';
import { bodyOf } from './draw-sweep.ts';
import type { Caption } from './frame.ts';
import { framedBy } from './frame.ts';
import { CODE, SMALL } from './lettering.ts';
import { captionText } from './result-table.ts';
import { fromZero, probabilityAxis } from './series.ts';

/** The work over epochs if there are any, or else how often each protocol had the property, as an SVG document. */
export function runPicture(report: RunReport, responses: readonly string[]): string {
  const { title, verdict, results, budgets, workByEpoch, replay } = report;
  const chart = workByEpoch === undefined ? frequencyChart(results) : workChart(workByEpoch);
  const setup = captionText({
    protocols: results.flatMap(({ protocols }) => protocols),
    budgets,
    responses,
    runs: `Runs: ${[...new Set(results.map(({ measured }) => measured.runs))].join(', ')}`,
  });
  const lines: Caption['lines'] = [
    ['setup', setup, SMALL],
    ['replay', replay, CODE],
  ];
  const caption = { title, sentence: verdict.sentence, lines };
  return framedBy(caption, chart, bodyOf(chart));
}

/** The frequency with its interval and the closed form for each protocol. */
function frequencyChart(results: RunReport['results']): LineChart {
  const marks = results.map(({ measured }, row): Mark => {
    const { frequency, interval, wins, runs } = measured;
    const tooltip = `${wins} of ${runs} runs`;
    return { x: row, y: frequency, interval: pairOf(interval), tooltip };
  });
  const curve = results.flatMap(({ theory: { probability } }, row) =>
    probability === null ? [] : [{ x: row, y: probability }],
  );
  const y = probabilityAxis('share of the runs with the property', {
    values: marks.map((mark) => mark.y),
    ends: marks.flatMap(({ interval }) => interval ?? []),
    theory: curve.map((point) => point.y),
  });
  const series = { ...seriesOf('', marks), curve, hasPoints: true, isJoined: false };
  return {
    type: 'lines',
    kind: 'frequency',
    name: 'frequency',
    title: 'Measured, and the closed form beside it',
    notes: [],
    x: {
      type: 'names',
      label: 'protocols',
      names: results.map(({ protocols }) => protocols.join(', ') || 'no election'),
    },
    panels: [panelOf(y, [series])],
    legend: { mark: 'measured', bar: 'its interval' },
  };
}

/** Ratio of the greatest to the least sum from which the axis is logarithmic. */
const DECADES_RATIO = 50;

function workChart(rows: readonly WorkRow[]): LineChart {
  const sums = (['honest', 'adversary'] as const).map((side) => {
    const marks = rows.map((row) => sumMark(row, side));
    return seriesOf(side === 'honest' ? 'all honest nodes' : 'adversary', marks);
  });
  const values = sums.flatMap(({ marks }) => marks.map(({ y }) => y));
  const positive = values.filter((value) => value > 0);
  const isLogarithmic = Math.max(...values) >= DECADES_RATIO * Math.min(...positive);
  const label = 'attempts so far';
  const y = isLogarithmic
    ? { ...numberAxis(label, positive, { isLogarithmic }), hasZero: values.includes(0) }
    : fromZero(
        label,
        sums.flatMap(({ marks }) => marks.flatMap(endsOf)),
      );
  const chances = rows.flatMap(({ epoch, chance, chanceInterval }): Mark[] => {
    if (chance === null) return [];
    const interval = pairOf(chanceInterval);
    return [{ x: epoch, y: chance, interval, tooltip: `epoch ${epoch}: ${chance}` }];
  });
  return {
    type: 'lines',
    kind: 'frequency',
    name: 'work',
    title:
      'Work of honest nodes and of the adversary, and how often the property holds after each epoch',
    notes: [
      'The adversary plans for the last epoch',
      ...(rows[0]?.epoch === 0 ? ['Epoch 0 is what was done before the first'] : []),
    ],
    x: numberAxis(
      'epoch',
      rows.map(({ epoch }) => epoch),
      { isLogarithmic: false },
    ),
    panels: [
      panelOf(y, sums),
      panelOf(fromZero('share of the runs', [1]), [seriesOf('', chances)]),
    ],
    legend: { mark: 'mean or share of the runs', bar: 'its interval' },
  };
}

function sumMark({ epoch, sum, interval }: WorkRow, side: 'honest' | 'adversary'): Mark {
  const { attempts } = sum[side];
  const tooltip = `${side}, up to epoch ${epoch}: ${Math.round(attempts)} attempts`;
  return { x: epoch, y: attempts, interval: pairOf(interval[side]), tooltip };
}

function pairOf(interval: Interval | null): Mark['interval'] {
  const [low, high] = interval ?? [];
  return low === undefined || high === undefined ? null : [low, high];
}

function endsOf({ y, interval }: Mark): readonly number[] {
  return [y, ...(interval ?? [])];
}

function seriesOf(label: string, marks: readonly Mark[]): Series {
  return { label, marks, refused: [], samples: [], curve: [], isJoined: true };
}

function panelOf(y: Panel['y'], series: readonly Series[]): Panel {
  return { y, series, references: [], levels: [] };
}
