/**
 * @module
 * The operation `calibrate`: how many candidates this machine tests in a second, and how long a difficulty therefore
 * takes it.
 */

import { z } from 'zod';
import { deviceText } from '../mining/device/facts.ts';
import { NATIVE_CORE } from '../mining/native.ts';
import { RATED_DEVICE } from './advantage/advantage.ts';
import type { Advantage, Calibration, Rate } from './calibration.ts';
import { calibrationMembers } from './calibration.ts';
import { formatCount, formatSeconds } from './figures.ts';
import { defineOperation, replayOf } from './operation.ts';
import type { Report } from './report.ts';

/** Number of measurements of a calibration, for its progress. */
const MEASUREMENTS = 16;
const DEVICE_MEASUREMENTS = 5;

const MEMBERS = { device: RATED_DEVICE };

const VERB = { name: 'calibrate', members: MEMBERS } as const;

export const CALIBRATE = defineOperation({
  ...VERB,
  collection: 'calibrations',
  title: 'Calibrate',
  summary: 'measure the mining rate of this machine',
  description: `Rates per second are those of all threads by the wall clock, rates per CPU second those of one thread. Bits over a baseline are log2 of the rate per CPU second over that of a naive search: a new key for each attempt, or one hash for each X, with noble or with OpenSSL (node:crypto). Keys are compared with keys, X with X.
A device is measured by its own time in place of CPU seconds. A software device computes on the processor, so that its rates are not those of a graphics card.
Times are for the fastest search for keys that a strict policy admits, on the same number of threads.
An adversary can use native code. The constant is its rate on one core: usurp design --rate ${NATIVE_CORE.rate}.`,
  output: z.object({ ...calibrationMembers, replay: z.string() }).meta({ id: 'Calibration' }),
  answersWhileTyping: false,
  measuresTime: true,
  check() {},
  atOnce: () => null,
  async run(input, { threads, signal, onProgress, machine }) {
    let done = 0;
    const measured = await machine.calibrate({
      threads,
      signal,
      device: input.device,
      onProgress(now) {
        const total = MEASUREMENTS + (input.device === undefined ? 0 : DEVICE_MEASUREMENTS);
        onProgress({ now, done, total });
        done += 1;
      },
    });
    return signal.aborted ? null : { ...measured, replay: replayOf(VERB, input) };
  },
  outcomeOf: () => 'holds',
  outcomes: { holds: 'measured', violated: null, unknown: null },
  report: reportOf,
  picture: () => null,
  table: () => null,
  has: { picture: false, table: false },
  examples: [{}, { device: 'gpu' }],
});

function reportOf({ threads, keys, solutions, stock, native, times }: Calibration): Report {
  return [
    {
      type: 'table',
      title: 'Searches for keys',
      columns: columnsOf(['key search', 'scheme', 'made with', 'policy'], 'keys', BITS_OVER),
      rows: keys.map((row) => [
        ...[row.strategy, row.scheme, madeWith(row.implementation, row.keys), row.policy],
        ...ratesOf(row.keys, row.advantageBits),
      ]),
    },
    {
      type: 'table',
      title: 'Searches for solutions',
      columns: columnsOf(['solution search', 'tested with', 'policy'], 'X', BITS_OVER),
      rows: solutions.map((row) => [
        ...[row.strategy, madeWith(row.implementation, row.solutions), row.policy],
        ...ratesOf(row.solutions, row.advantageBits),
      ]),
    },
    {
      type: 'table',
      title: 'Keys in stock',
      columns: columnsOf(['stock', 'tested with', 'policy'], 'keys in stock', []),
      rows: [['stockpile', 'kernel', 'strict', ...perSecond(stock.tests)]],
    },
    {
      type: 'facts',
      rows: [
        ['threads', String(threads)],
        ['native code', `${formatCount(native.keysPerSecond)} keys/s a core (${native.label})`],
        ['', `${formatCount(native.doubleHashesPerSecond)} double hashes/s a core`],
        ['', `${native.keysOverKernel} times the kernel; ${native.source}`],
      ],
    },
    {
      type: 'table',
      title: 'Times of difficulties',
      columns: columnsOf(['bits'], null, ['expected', '50 %', '95 %', '99 %']),
      rows: times.map(({ bits, expectedSeconds, p50Seconds, p95Seconds, p99Seconds }) => [
        String(bits),
        ...[expectedSeconds, p50Seconds, p95Seconds, p99Seconds].map(formatSeconds),
      ]),
    },
  ];
}

function madeWith(implementation: string, { device }: Rate): string {
  return device === undefined ? implementation : deviceText(device);
}

/** The baselines of both kinds of searches. */
const BITS_OVER = ['bits over noble', 'bits over openssl'];

function columnsOf(texts: readonly string[], counted: string | null, numbers: readonly string[]) {
  const rates = counted === null ? [] : [`${counted}/s`, `${counted}/CPU-s`];
  return [
    ...texts.map((name) => ({ name })),
    ...[...rates, ...numbers].map((name) => ({ name, isNumber: true })),
  ];
}

function ratesOf(rate: Rate, { noble, native }: Advantage): string[] {
  return [...perSecond(rate), ...[noble, native].map((each) => each.toFixed(2))];
}

function perSecond(rate: Rate): string[] {
  return [rate.perSecond, rate.perCpuSecond].map((each) => each.toFixed(0));
}
