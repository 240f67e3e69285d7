/**
 * @module
 * The output of `lookups` for people: a sentence, tables, a chart of success against the share of adversaries, and rows.
 */

import { numberAxis } from '../../experiment/charts/axes.ts';
import { figure } from '../../experiment/charts/cells.ts';
import type { LineChart, Mark, Series } from '../../experiment/charts/data.ts';
import { framedBy } from '../../experiment/charts/frame.ts';
import { CODE, SMALL } from '../../experiment/charts/lettering.ts';
import { drawLineChart } from '../../experiment/charts/line-chart.ts';
import { fromZero } from '../../experiment/charts/series.ts';
import { column } from '../../experiment/sweep/columns.ts';
import { formatCount, formatPercent } from '../figures.ts';
import type { OutputTable } from '../operation.ts';
import type { Block, Report } from '../report.ts';
import { sentenceBlock } from '../report.ts';
import type { LookupsOutput, LookupsRow } from './output.ts';

const number = (name: string, dropOrder?: number) => ({
  name,
  isNumber: true,
  ...(dropOrder === undefined ? {} : { dropOrder }),
});

/** The report: success of all rows, what the adversary leads, and the price of a key. */
export function lookupsReport(output: LookupsOutput): Report {
  const { rows, leaders } = output;
  const isForged = rows.some(({ hashesPerKey }) => hashesPerKey > 0);
  return [
    sentenceBlock(sentenceOf(output)),
    successTable(rows),
    ...(isForged ? [forgedTable(rows)] : []),
    ...(leaders.length === 0 ? [] : [priceTable(leaders)]),
    {
      type: 'notes',
      notes: [
        leaders.length === 0
          ? 'The price of leading a key follows from the number of nodes only if IDs are uniform. Given node IDs need not be, so that the price is not stated. With attempts it is measured.'
          : 'An attacker with t IDs beside n others has the closest one to a key with probability t/(n + t). The same IDs serve each of K keys, so that leading one of them costs K times less. Puzzles are solved only for an ID that leads, and the budget contains them. Disjoint paths and siblings do not change this price. They decide whether a lookup finds the honest nodes near the key.',
      ],
    },
  ];
}

function priceTable(leaders: LookupsOutput['leaders']): Block {
  const names = [
    'nodes',
    'adversaries',
    'probability',
    'IDs to add',
    'attempts',
    'hashes (budget)',
  ];
  return {
    type: 'table',
    title: 'The price of leading a key: to be the closest node to it',
    columns: names.map((name) => number(name)),
    rows: leaders.map(({ nodes, share, probability, ids, attempts, hashes }) => [
      String(nodes),
      formatPercent(share),
      `${100 * probability} %`,
      ...[ids, attempts, hashes].map(formatCount),
    ]),
  };
}

function sentenceOf({ rows, complete }: LookupsOutput): string {
  const nodes = [...new Set(rows.map((row) => row.nodes))].join(', ');
  const end = complete ? '' : ' It was interrupted, so that rows are missing.';
  return `${rows[0]?.lookups ?? 0} lookups of each row, among ${nodes} nodes.${end}`;
}

function successTable(rows: readonly LookupsRow[]): Block {
  const isTimed = rows.some(({ ticksMean }) => ticksMean !== null);
  return {
    type: 'table',
    title: 'Lookups',
    columns: [
      ...['nodes', 'adversaries', 'paths', 'success'].map((name) => number(name)),
      number('interval', 3),
      ...[number('closed form'), number('by lengths', 4)],
      ...[number('steps'), number('messages', 1), number('poisoned', 2)],
      ...(isTimed ? [number('ticks'), number('95 %'), number('time-outs')] : []),
    ],
    rows: rows.map((row) => [
      String(row.nodes),
      formatPercent(row.share),
      String(row.paths),
      formatPercent(row.success.share),
      row.success.interval.map(formatPercent).join(' to '),
      ...[row.analytic, row.expected].map(shareText),
      row.stepsMean === null ? '-' : row.stepsMean.toFixed(2),
      figure(row.messagesMean),
      formatPercent(row.poisoned),
      ...(isTimed
        ? [
            row.ticksMean === null ? '-' : figure(row.ticksMean),
            String(row.ticks95 ?? '-'),
            figure(row.timeoutsMean),
          ]
        : []),
    ]),
  };
}

function shareText(share: number | null): string {
  return share === null ? '-' : formatPercent(share);
}

function forgedTable(rows: readonly LookupsRow[]): Block {
  return {
    type: 'table',
    title: 'Forged IDs near the keys',
    columns: [
      ...['adversaries', 'paths', 'failed or led', 'failed or eclipsed', 'keys led', 'captured'],
      'hashes for one',
    ].map((name) => number(name)),
    rows: rows.map((row) => [
      formatPercent(row.share),
      String(row.paths),
      ...[row.led, row.eclipsed].map(formatPercent),
      withInterval(row.keysLed.share, row.keysLed.interval),
      withInterval(row.keysCaptured, row.keysCapturedInterval),
      row.hashesPerKeyLed === null ? '-' : formatCount(row.hashesPerKeyLed),
    ]),
  };
}

function withInterval(share: number, ends: readonly number[]): string {
  return `${formatPercent(share)} (${ends.map((end) => (100 * end).toFixed(1)).join('–')})`;
}

/** A chart of success against the share of adversaries, with a series for each number of paths. */
export function lookupsPicture(output: LookupsOutput): string {
  const { rows, replay } = output;
  const groups = Map.groupBy(rows, ({ nodes, paths }) => `d = ${paths}, ${nodes} nodes`);
  const series = [...groups].map(([label, members]): Series => {
    const marks = members.map(({ share: x, success, stepsMean }): Mark => {
      const steps = stepsMean === null ? '' : `, ${figure(stepsMean)} steps`;
      const tooltip = `${label}: ${formatPercent(success.share)}${steps}`;
      return { x: 100 * x, y: success.share, interval: success.interval, tooltip };
    });
    const curve = members.flatMap(({ share: x, analytic: y }) =>
      y === null ? [] : [{ x: 100 * x, y }],
    );
    return { label, marks, curve, hasPoints: true, refused: [], samples: [], isJoined: true };
  });
  const x = numberAxis(
    'adversaries (% of the nodes)',
    rows.map(({ share }) => 100 * share),
    { isLogarithmic: false },
  );
  const chart: LineChart = {
    type: 'lines',
    kind: 'frequency',
    name: 'lookups',
    title: 'Share of lookups that succeed',
    notes: [],
    x,
    panels: [{ y: fromZero('successful lookups', [1]), series, references: [], levels: [] }],
    legend: { mark: 'measured', bar: 'its interval' },
  };
  const lines = [['replay', replay, CODE] as const];
  const setup = ['setup', sentenceOf(output), SMALL] as const;
  return framedBy(
    { title: 'Lookups in an overlay', sentence: sentenceOf(output), lines: [setup, ...lines] },
    chart,
    drawLineChart(chart, x),
  );
}

const COLUMNS = [
  column('nodes', 'integer', 'nodes without forged IDs'),
  column('share', 'number', 'share of them that belongs to the adversary'),
  column('paths', 'integer', 'disjoint paths'),
  column('lookups', 'integer', 'lookups of the row'),
  column('success', 'number', 'share of them that succeeded'),
  column('ci_low', 'number', 'lower end of its interval'),
  column('ci_high', 'number', 'upper end of its interval'),
  column('analytic', 'number', 'closed form of the paper; empty with forged IDs or a latency'),
  column('expected', 'number', 'the same with the lengths of the paths of each lookup'),
  column('steps_mean', 'number', 'steps of the paths that succeeded; empty if none did'),
  column('steps_max', 'integer', 'steps of the longest of them'),
  column('messages_mean', 'number', 'questions and answers of a lookup'),
  column('poisoned', 'number', 'share of the contacts of honest nodes that are adversaries'),
  column('led', 'number', 'lookups that failed or whose key an adversary leads'),
  column('eclipsed', 'number', 'lookups that failed or whose siblings are all adversaries'),
  column('keys', 'integer', 'different keys'),
  column('keys_led', 'number', 'share of the keys whose closest node is an adversary'),
  column('keys_captured', 'number', 'share of the keys that it leads because of forged IDs'),
  column('hashes_per_key', 'number', 'hashes for all IDs that join for a key'),
  column('ticks_mean', 'number', 'ticks until a lookup succeeded; empty without a latency'),
  column('ticks_95', 'integer', 'tick by which 95 % of the successful lookups succeeded'),
  column('timeouts_mean', 'number', 'questions of a lookup that were not answered in time'),
] as const;

/** The rows of the output. */
export function lookupsTable({ rows }: LookupsOutput): OutputTable {
  return {
    columns: COLUMNS,
    rows: rows.map((row) => [
      ...[row.nodes, row.share, row.paths, row.lookups],
      ...[row.success.share, ...row.success.interval, row.analytic, row.expected],
      ...[row.stepsMean, row.stepsMax, row.messagesMean, row.poisoned, row.led, row.eclipsed],
      ...[row.keys, row.keysLed.share, row.keysCaptured, row.hashesPerKey],
      ...[row.ticksMean, row.ticks95, row.timeoutsMean],
    ]),
  };
}
