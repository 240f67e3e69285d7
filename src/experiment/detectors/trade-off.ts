/**
 * @module
 * The trade-off of failure detectors as rows and as a picture: detection time against mistake rate, a line for each
 * detector with its parameter along the line, under each latency and loss.
 */

import type { DetectorSpec } from '../../election/detectors/registry.ts';
import {
  createDetector,
  DETECTOR_NAMES,
  DETECTORS,
  detectorText,
} from '../../election/detectors/registry.ts';
import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';
import type { Latency } from '../../simulation/faults/latency.ts';
import { latencyText, latencyTicksMax } from '../../simulation/faults/latency.ts';
import { numberAxis } from '../charts/axes.ts';
import { figure } from '../charts/cells.ts';
import type { LineChart, Mark, Panel } from '../charts/data.ts';
import { framedBy } from '../charts/frame.ts';
import { CODE, SMALL } from '../charts/lettering.ts';
import { drawLineChart } from '../charts/line-chart.ts';
import { probabilityAxis } from '../charts/series.ts';
import type { Column, TableRow } from '../sweep/columns.ts';
import { column } from '../sweep/columns.ts';
import { observe } from './observation.ts';
import type { Estimate, Quality } from './quality.ts';
import { qualityOf } from './quality.ts';

export interface TradeOffQuestion {
  /** A detector without options is measured with several values of its parameter. */
  readonly detectors: readonly DetectorSpec[];
  readonly latencies: readonly Latency[];
  readonly losses: readonly number[];
  readonly everyTicks: number;
  readonly periods: number;
  /** Observations of each cell, at least two. */
  readonly runs: number;
  readonly confidence: number;
  readonly seed: Seed;
}

export interface TradeOffRow extends Quality {
  /** The name without options, and the whole text. */
  readonly name: string;
  readonly detector: string;
  readonly latency: string;
  readonly loss: number;
}

/** The parameters of a trade-off by the options that detectors have. Time-outs are multiples of the period. */
const PARAMETERS = [
  { option: 'threshold', values: [0.5, 1, 2, 3, 5, 8, 12], isMultiple: false },
  { option: 'alpha', values: [0.1, 0.25, 0.5, 1, 1.5, 2, 3], isMultiple: true },
  ...['timeout', 'fail'].map((option) => {
    return { option, values: [1.1, 1.25, 1.5, 2, 2.5, 3, 4], isMultiple: true };
  }),
];

/** The names of the detectors that can be measured: those that are machines. */
export const MEASURED_DETECTORS: readonly DetectorSpec['name'][] = DETECTOR_NAMES.filter(
  (name) => DETECTORS[name].create !== null,
);

function specsOf(given: DetectorSpec, everyTicks: number): readonly DetectorSpec[] {
  const known = DETECTORS[given.name].options;
  const every = { every: String(everyTicks) };
  const found = PARAMETERS.find(({ option }) => Object.hasOwn(known, option));
  if (Object.keys(given.options).length > 0 || found === undefined) {
    return [{ ...given, options: { ...every, ...given.options } }];
  }
  const { option, values, isMultiple } = found;
  return values.map((value) => {
    const text = String(isMultiple ? Math.ceil(value * everyTicks) : value);
    return { ...given, options: { ...every, [option]: text } };
  });
}

/** The rows one after the other, each measured when it is asked for. Throws LabError `arguments` for a script. */
export function* tradeOff(question: TradeOffQuestion): Generator<TradeOffRow> {
  const { detectors, latencies, losses, everyTicks, periods, runs, confidence, seed } = question;
  for (const latency of latencies) {
    for (const loss of losses) {
      for (const spec of detectors.flatMap((each) => specsOf(each, everyTicks))) {
        const detector = createDetector(spec, { latencyTicksMax: latencyTicksMax(latency) });
        const text = detectorText(spec);
        if (detector === null) {
          const remedy = `measure one of ${MEASURED_DETECTORS.join(', ')}`;
          throw new LabError(
            'arguments',
            `${spec.name} is a script and runs on no node: ${remedy}`,
          );
        }
        const own = Number(spec.options.every ?? everyTicks);
        const labels = [text, latencyText(latency), loss] as const;
        const observations = Array.from({ length: runs }, (_, index) =>
          observe(detector, {
            latency,
            loss,
            everyTicks: own,
            periods,
            random: createRandom(seed, ...labels, index),
          }),
        );
        const [, latencyName] = labels;
        const row = { name: spec.name, detector: text, latency: latencyName, loss };
        yield { ...row, ...qualityOf(observations, confidence) };
      }
    }
  }
}

/** Whether the live node was suspected at each observed tick. There is no detection to time then. */
function isAlwaysSuspecting({ mistakes, queryAccuracy }: Quality): boolean {
  return mistakes === 0 && queryAccuracy.value === 0;
}

/** Why rows without any trust count no mistake. Empty without such rows. */
export function alwaysSuspectingNotes(rows: readonly Quality[]): readonly string[] {
  const count = rows.filter(isAlwaysSuspecting).length;
  if (count === 0) return [];
  return [
    `${count} of ${rows.length} rows with accuracy 0: the live node was suspected at each tick. A mistake is the begin of a suspicion (Chen, Toueg and Aguilera 2002), so that these rows count none, and their detection takes 0 ticks. The chart leaves them out.`,
  ];
}

/** Why rows without a mistake have no interval of the accuracy. Empty without such rows. */
export function faultlessNotes(rows: readonly Quality[]): readonly string[] {
  if (rows.every(({ queryAccuracy }) => queryAccuracy.value !== 1)) return [];
  return [
    'A row without a mistake has no interval of the accuracy, as the length T of a mistake is unknown: the accuracy is at least 1 − λT, where λ is the upper end of the mistakes a tick.',
  ];
}

/** The picture of the rows as an SVG document: a panel for each latency and loss. */
export function tradeOffPicture(
  rows: readonly TradeOffRow[],
  { sentence, replay }: { readonly sentence: string; readonly replay: string },
): string {
  const shown = rows.flatMap((row) =>
    row.detectionTicks === null || isAlwaysSuspecting(row)
      ? []
      : [{ row, x: row.detectionTicks.value }],
  );
  const times = shown.map(({ x }) => x);
  const isLogarithmic = Math.min(...times) > 0 && Math.max(...times) > 8 * Math.min(...times);
  const x = numberAxis('detection time (ticks, mean)', times, { isLogarithmic });
  const cells = Map.groupBy(
    shown,
    ({ row }) => `latency ${row.latency}, loss ${figure(100 * row.loss)} %`,
  );
  const names = [...new Set(rows.map(({ name }) => name))];
  const rates = shown.map(({ row }) => row.mistakeRate);
  const ends = rates.flatMap(({ interval }) => interval ?? []);
  // One scale for all panels, so that they can be compared.
  const scale = probabilityAxis('', { values: rates.map(({ value }) => value), ends, theory: [] });
  const panels = [...cells].map(([title, members]): Panel => {
    const y = { ...scale, label: `mistakes a tick, ${title}` };
    const series = names.map((name) => {
      const own = members.filter(({ row }) => row.name === name);
      const marks = own.map(({ row, x: at }): Mark => {
        const { value, interval } = row.mistakeRate;
        const tooltip = `${row.detector}: ${figure(value)} mistakes a tick, detection after ${figure(at)}`;
        return { x: at, y: value, interval, tooltip };
      });
      return { label: name, marks, refused: [], samples: [], curve: [], isJoined: true };
    });
    return { y, series, references: [], levels: [] };
  });
  const chart: LineChart = {
    type: 'lines',
    kind: 'detection-delay',
    name: 'detectors',
    x,
    panels,
    title: 'Detection time in ticks against mistakes a tick',
    notes: [
      'Along each line the parameter of the detector grows: time-out, threshold or fail ticks',
      ...alwaysSuspectingNotes(rows),
    ],
    legend: { mark: 'mean', bar: 'interval of the mistakes a tick', zero: 'no mistake' },
  };
  const heading = 'The quality of service of failure detectors';
  const setup = `${names.length} detector${names.length === 1 ? '' : 's'}, ${rows[0]?.observations ?? 0} observations of each mark`;
  const lines = [['setup', setup, SMALL] as const, ['replay', replay, CODE] as const];
  return framedBy({ title: heading, sentence, lines }, chart, drawLineChart(chart, x));
}

const MEASURES = {
  mistake_rate: ['mistakeRate', 'mistakes a tick (λ_M)'],
  mistake_ticks: ['mistakeTicks', 'mean ticks of a mistake (T_M); empty without one'],
  query_accuracy: ['queryAccuracy', 'probability that a query is answered rightly (P_A)'],
  detection_ticks: ['detectionTicks', 'mean ticks from a crash to the suspicion that lasts (T_D)'],
} as const satisfies Record<string, readonly [keyof Quality, string]>;

/** The columns of `tradeOffRow`. An estimate has three: its value and the ends of its interval. */
export const TRADE_OFF_COLUMNS: readonly Column[] = [
  column('detector', 'text', 'detector with its options'),
  column('latency', 'text', 'law of the latency, in ticks'),
  column('loss', 'number', 'probability that a message is lost'),
  column('observations', 'integer', 'independent observations, each with one crash'),
  column('ticks', 'integer', 'ticks that were observed before the crashes'),
  column('mistakes', 'integer', 'suspicions of the live node in these ticks'),
  ...Object.entries(MEASURES).flatMap(([name, [, meaning]]) => [
    column(name, 'number', meaning),
    column(`${name}_low`, 'number', 'lower end of its interval; empty if nothing varies'),
    column(`${name}_high`, 'number', 'its upper end'),
  ]),
  column('missed', 'integer', 'crashes without a lasting suspicion'),
];

/** The row of a table. */
export function tradeOffRow(row: TradeOffRow): TableRow {
  const estimates = Object.values(MEASURES).flatMap(([member]) => {
    const estimate: Estimate | null = row[member];
    return [estimate?.value ?? null, ...(estimate?.interval ?? [null, null])];
  });
  const counts = [row.observations, row.ticks, row.mistakes];
  return [row.detector, row.latency, row.loss, ...counts, ...estimates, row.missed];
}
