/**
 * @module
 * The operation `detectors`: the quality of service of failure detectors under latencies and losses, as rows and as a
 * picture.
 */

import { z } from 'zod';
import { parseDetector } from '../election/detectors/registry.ts';
import { LabError } from '../errors.ts';
import { figure } from '../experiment/charts/cells.ts';
import type { Estimate } from '../experiment/detectors/quality.ts';
import { qualitySchema } from '../experiment/detectors/quality.ts';
import type { TradeOffRow } from '../experiment/detectors/trade-off.ts';
import {
  alwaysSuspectingNotes,
  faultlessNotes,
  MEASURED_DETECTORS,
  TRADE_OFF_COLUMNS,
  tradeOff,
  tradeOffPicture,
  tradeOffRow,
} from '../experiment/detectors/trade-off.ts';
import { parseLatency } from '../simulation/faults/latency.ts';
import { amount, amounts, SEED, texts } from './member.ts';
import { defineOperation, replayOf } from './operation.ts';
import { sentenceBlock } from './report.ts';

const COUNT = { kind: 'count', slider: [0, 4] } as const;

const MEMBERS = {
  detectors: texts(
    { most: 32, separator: ' ', read: readSpec },
    {
      label: 'Detectors',
      meaning: 'Detectors. One with options is measured with these alone',
      example: 'fd-heartbeat fd-phi-exp',
      inForm: 'fd-heartbeat',
      isArgument: true,
      otherwise: 'all that are machines',
    },
  ),
  latency: texts(
    { most: 8, separator: ',', read: parseLatency },
    {
      label: 'Latencies',
      meaning: 'Latencies in ticks',
      example: '30,uniform:10:50,exp:30',
      initial: ['30', 'uniform:10:50', 'exp:30'],
    },
  ),
  loss: amounts({
    kind: 'probability',
    bounds: { min: 0, max: 1 },
    slider: [-3, 0],
    most: 8,
    label: 'Losses',
    meaning: 'Shares of lost messages',
    example: '0,1%,10%',
    initial: [0, 0.01, 0.1],
  }),
  every: amount({
    ...COUNT,
    bounds: { min: 1, max: 1e6 },
    label: 'Period',
    meaning: 'Ticks from one heartbeat to the next',
    example: '100',
    initial: 100,
  }),
  periods: amount({
    ...COUNT,
    bounds: { min: 1, max: 1e6 },
    remoteMax: 1000,
    label: 'Periods',
    meaning: 'Periods before each crash',
    example: '300',
    initial: 300,
  }),
  runs: amount({
    ...COUNT,
    bounds: { min: 2, max: 1e5 },
    remoteMax: 1000,
    label: 'Observations',
    meaning: 'Observations of each row',
    example: '30',
    initial: 30,
  }),
  confidence: amount({
    kind: 'probability',
    bounds: { above: 0, below: 1 },
    slider: [-1, -0.001],
    label: 'Confidence',
    meaning: 'Confidence level of the intervals',
    example: '0.95',
    isFurther: true,
    initial: 0.95,
  }),
  seed: SEED,
};

const VERB = { name: 'detectors', members: MEMBERS } as const;

const rowSchema = z.object({
  name: z.string(),
  detector: z.string().describe('The detector with its options.'),
  latency: z.string(),
  loss: z.number(),
  ...qualitySchema.shape,
});

export const DETECTORS_OPERATION = defineOperation({
  ...VERB,
  collection: 'detector-measurements',
  title: 'Failure detectors',
  summary: 'measure how soon and how wrongly detectors suspect',
  description: `Two nodes run the detector. One observes the other, which crashes at a random tick. The rows have the measures of Chen, Toueg and Aguilera (2002) with jackknife intervals, which for the mistakes are at least those of a Poisson number: mistakes a tick, the mean length of a mistake, the probability that a query is answered rightly, and the mean time from the crash to the suspicion that lasts.
A detector without options is measured along its parameter: threshold, timeout or fail, in multiples of the period. At one tick messages arrive before timers expire. fd-oracle is a script and cannot be measured.`,
  output: z
    .object({
      every: z.int().describe('Period of the detectors that state none, in ticks.'),
      periods: z.int(),
      rows: z.array(rowSchema).readonly(),
      replay: z.string(),
    })
    .meta({ id: 'DetectorMeasurements' }),
  answersWhileTyping: false,
  measuresTime: false,
  check() {},
  atOnce: () => null,
  async run(input, { signal, onProgress, machine, seedFor }) {
    const { every, periods, runs, confidence, latency, loss } = input;
    const seed = seedFor(input.seed);
    const specs = (input.detectors ?? MEASURED_DETECTORS).map(readSpec);
    const question = {
      detectors: specs,
      latencies: latency.map(parseLatency),
      losses: loss,
      everyTicks: every,
      periods,
      runs,
      confidence,
      seed,
    };
    const rows: TradeOffRow[] = [];
    for (const row of tradeOff(question)) {
      rows.push(row);
      onProgress({ now: 'rows', done: rows.length, total: null });
      // Between two rows, an interruption is noticed.
      await machine.pause();
      if (signal.aborted) break;
    }
    return { every, periods, rows, replay: replayOf(VERB, { ...input, seed }) };
  },
  outcomeOf: () => 'holds',
  outcomes: { holds: 'all rows', violated: null, unknown: null },
  report: (answer) => [
    sentenceBlock(sentenceOf(answer)),
    {
      type: 'table',
      title: 'Quality of service',
      columns: [
        { name: 'detector' },
        { name: 'latency' },
        ...['loss', 'mistakes/tick', 'mistake ticks', 'accuracy'].map(number),
        ...['detection ticks', 'missed'].map(number),
      ],
      rows: answer.rows.map((row) => [
        row.detector,
        row.latency,
        `${figure(100 * row.loss)} %`,
        estimateText(row.mistakeRate),
        estimateText(row.mistakeTicks),
        estimateText(row.queryAccuracy),
        estimateText(row.detectionTicks),
        String(row.missed),
      ]),
    },
    {
      type: 'notes',
      notes: [...alwaysSuspectingNotes(answer.rows), ...faultlessNotes(answer.rows)],
    },
  ],
  picture: (answer) =>
    tradeOffPicture(named(answer.rows), { sentence: sentenceOf(answer), replay: answer.replay }),
  table: ({ rows }) => ({ columns: TRADE_OFF_COLUMNS, rows: named(rows).map(tradeOffRow) }),
  has: { picture: true, table: true },
  examples: [
    { detectors: 'fd-heartbeat', latency: 'exp:30', loss: '0,5%', seed: '1' },
    { detectors: 'fd-heartbeat fd-phi-exp', latency: 'exp:30', loss: '0,5%' },
    { detectors: 'fd-heartbeat:every=100,timeout=250,adaptive', runs: '200' },
    { seed: '1' },
  ],
});

const number = (name: string) => ({ name, isNumber: true });

type Rows = readonly z.output<typeof rowSchema>[];

/** The names are those of rows that were measured. */
function named(rows: Rows): readonly TradeOffRow[] {
  return rows.map((row) => ({ ...row, name: readSpec(row.detector).name }));
}

function readSpec(text: string) {
  if (MEASURED_DETECTORS.some((name) => name === text.split(':')[0])) return parseDetector(text);
  throw new LabError('arguments', `must be one of ${MEASURED_DETECTORS.join(', ')}`);
}

interface Answer {
  readonly every: number;
  readonly periods: number;
  readonly rows: Rows;
}

/** A detector may have a period of its own. */
function sentenceOf({ every, periods, rows }: Answer): string {
  const own = rows.map(({ detector }) => readSpec(detector).options.every ?? String(every));
  const ticks = [...new Set(own)].join(' or ') || every;
  return `A heartbeat every ${ticks} ticks, ${periods} periods before each crash.`;
}

function estimateText(estimate: Estimate | null): string {
  if (estimate === null) return '-';
  const [value, ...ends] = [estimate.value, ...(estimate.interval ?? [])].map((each) => {
    // A share near 1 has the digits of its distance from 1.
    const digits = each > 0.9 && each < 1 ? Math.ceil(-Math.log10(1 - each)) + 1 : 0;
    return String(Number(digits > 4 ? each.toFixed(digits) : each.toPrecision(4)));
  });
  return ends.length === 0 ? `${value}` : `${value} (${ends.join(' to ')})`;
}
