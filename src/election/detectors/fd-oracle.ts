/**
 * @module
 * The oracle: not a machine, but a script outside the nodes that suspects with the properties of a class
 * of T. Chandra and S. Toueg (JACM 43(2), 1996), or breaks one of them. It sends no messages.
 */

import { answerTicks, silenceTicks } from '../timing.ts';
import type { DetectorOptions, ReadOption } from './detector-definition.ts';
import { defineDetector, EVERY_OPTION, ticksFrom } from './detector-definition.ts';

/** The classes of Chandra and Toueg that the oracle can be, and its ways to be none of them. */
export const ORACLE_CLASSES = [
  'P',
  'eventually-P',
  'S',
  'eventually-S',
  'incomplete',
  'inaccurate',
] as const;

export type OracleClass = (typeof ORACLE_CLASSES)[number];

const RANK_MAX = 1_000_000;

const ORACLE_OPTIONS = {
  class: { type: 'word', values: ORACLE_CLASSES, meaning: 'the class, or what is broken of P' },
  stableAt: {
    ...ticksFrom(0),
    meaning: 'the tick until which mistakes begin',
    byDefault: silenceTicks,
  },
  every: { ...EVERY_OPTION, meaning: 'ticks from one mistake of an inaccurate class to the next' },
  node: {
    type: 'number',
    min: 0,
    max: RANK_MAX,
    decimal: false,
    words: [],
    meaning:
      'the rank never suspected by S or incomplete, from stableAt by eventually-S; 0: by draw',
    byDefault: () => 0,
  },
} satisfies DetectorOptions;

export const FD_ORACLE = defineDetector({
  name: 'fd-oracle',
  rule: 'suspects by a script drawn from the seed, which has the properties of a class or breaks one',
  messageBound: '0',
  source: 'T. Chandra, S. Toueg, JACM 43(2), 1996',
  messages: {},
  options: ORACLE_OPTIONS,
  clash: null,
  // Pairs of nodes, each with its mistakes.
  nodesMax: 512,
  detectionTicks: answerTicks,
  create: null,
});

/** What the options say of the script. */
export function readOracle(read: ReadOption<keyof typeof ORACLE_OPTIONS>) {
  return {
    class: ORACLE_CLASSES.find((each) => each === read.text('class')) ?? 'P',
    stableAt: read.number('stableAt'),
    everyTicks: read.number('every'),
    /** Null if it is drawn. */
    node: read.number('node') || null,
  } as const;
}
