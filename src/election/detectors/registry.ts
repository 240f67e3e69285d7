/**
 * @module
 * Every failure detector by name: what it assumes, what its options are and what they are by default,
 * where it comes from, and how it is made. As text, `fd-heartbeat:every=10,timeout=35,adaptive`.
 * `fd-oracle` alone is not a machine: it is scripted from outside the nodes, and costs no messages.
 */

import { LabError } from '../../errors.ts';
import type { Timing } from '../timing.ts';
import { answerTicks, silenceTicks } from '../timing.ts';

import { ACCRUAL_DETECTORS } from './accrual-entries.ts';
import type { AnyDetector } from './detector.ts';
import type { DetectorEntry } from './detector-entry.ts';
import {
  BEATING_NODES_MAX,
  clashIfBelow,
  EVERY_OPTION,
  honestIntervalTicks,
  ticksFrom,
} from './detector-entry.ts';
import type {
  DetectorOption,
  DetectorOptions,
  GivenOptions,
  ReadOption,
} from './detector-options.ts';
import { isSwitch, optionFault, readOptions, switchOption } from './detector-options.ts';
import { createGossipDetector } from './fd-gossip.ts';
import { createHeartbeatDetector } from './fd-heartbeat.ts';

/** A detector and those of its options that are not left to their defaults. */
export interface DetectorSpec {
  readonly name: DetectorName;
  readonly options: GivenOptions;
}

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
/** A gossiped count reaches 100 nodes in some 12 periods; the rest is bad luck. */
const GOSSIP_PERIODS = 20;
/** Six doublings, after which an adaptive time-out is 64 times what it was. */
const GROWTH = 64;

export const DETECTORS = {
  'fd-heartbeat': {
    name: 'fd-heartbeat',
    rule: 'suspects after a silence of timeout ticks; perfect where beats never come further apart, eventually perfect if adaptive',
    messageBound: 'n(n−1) a period',
    source: 'T. Chandra, S. Toueg, JACM 43(2), 1996',
    messageTypes: ['FD_HEARTBEAT'],
    options: {
      every: EVERY_OPTION,
      timeout: {
        ...ticksFrom(1),
        meaning: 'ticks of silence until a suspicion',
        byDefault: (timing, read) => honestIntervalTicks(timing, read) + 1,
      },
      adaptive: switchOption('doubles the time-out after each false suspicion'),
      max: {
        ...ticksFrom(1),
        meaning: 'ticks that an adaptive time-out grows to at most',
        byDefault: (_timing, read) => GROWTH * read.number('timeout'),
      },
    },
    clash: (read) => (read.isOn('adaptive') ? clashIfBelow(['max', 'timeout'], read) : null),
    nodesMax: BEATING_NODES_MAX,
    detectionTicks: (timing, read) => timing.latencyTicksMax + read.number('timeout'),
    create: (_timing, read) =>
      createHeartbeatDetector({
        everyTicks: read.number('every'),
        timeoutTicks: read.number('timeout'),
        timeoutTicksMax: read.isOn('adaptive') ? read.number('max') : undefined,
      }),
  },
  ...ACCRUAL_DETECTORS,
  'fd-gossip': {
    name: 'fd-gossip',
    rule: 'suspects whose gossiped count has not risen for fail ticks',
    messageBound: 'n a period, with tables of up to n counts',
    source:
      'R. van Renesse, Y. Minsky, M. Hayden, A gossip-style failure detection service, Middleware 1998',
    messageTypes: ['FD_GOSSIP'],
    options: {
      every: { ...EVERY_OPTION, meaning: 'ticks from one round of gossip to the next' },
      fail: {
        ...ticksFrom(1),
        meaning: 'ticks without a rise until a suspicion',
        byDefault: (timing, read) =>
          GOSSIP_PERIODS * (read.number('every') + timing.latencyTicksMax),
      },
      cleanup: {
        ...ticksFrom(1),
        meaning: 'ticks without a rise until the count is forgotten',
        byDefault: (_timing, read) => 2 * read.number('fail'),
      },
      bounded: switchOption('drops counts that are ahead of its own clock'),
    },
    clash: (read) => clashIfBelow(['cleanup', 'fail'], read),
    // With tables of all in every message: 2.7 GB were measured.
    nodesMax: 512,
    detectionTicks: (timing, read) =>
      2 * read.number('fail') + read.number('every') + timing.latencyTicksMax,
    create: (_timing, read) =>
      createGossipDetector({
        everyTicks: read.number('every'),
        failTicks: read.number('fail'),
        cleanupTicks: read.number('cleanup'),
        refusesAhead: read.isOn('bounded'),
      }),
  },
  'fd-oracle': {
    name: 'fd-oracle',
    rule: 'suspects by a script drawn from the seed, which has the properties of a class or breaks one',
    messageBound: '0',
    source: 'T. Chandra, S. Toueg, JACM 43(2), 1996',
    messageTypes: [],
    options: {
      class: { type: 'word', values: ORACLE_CLASSES, meaning: 'the class, or what is broken of P' },
      stableAt: {
        ...ticksFrom(0),
        meaning: 'the tick until which mistakes begin',
        byDefault: silenceTicks,
      },
      every: { ...EVERY_OPTION, meaning: 'ticks from one turn of the inaccurate to the next' },
      node: {
        type: 'number',
        min: 0,
        max: RANK_MAX,
        meaning:
          'the rank never suspected by S or incomplete, from stableAt by eventually-S; 0: by draw',
        byDefault: () => 0,
      },
    },
    // Pairs of nodes, each with its mistakes.
    nodesMax: 512,
    detectionTicks: answerTicks,
    create: null,
  },
} as const satisfies Readonly<Record<string, DetectorEntry>>;

export type DetectorName = keyof typeof DETECTORS;

// Object.keys forgets that the keys are the names.
export const DETECTOR_NAMES = Object.keys(DETECTORS) as readonly DetectorName[];

/** What messages between detectors are called. */
export const DETECTOR_MESSAGE_TYPES: readonly string[] = [
  ...new Set(DETECTOR_NAMES.flatMap((name) => DETECTORS[name].messageTypes)),
];

/** Reads `name` or `name:option=value,switch`. Throws LabError `arguments`. */
export function parseDetector(text: string): DetectorSpec {
  const [head = '', ...rest] = text.split(':');
  const name = DETECTOR_NAMES.find((known) => known === head);
  if (name === undefined) {
    refuse(text, `names no detector; one of ${DETECTOR_NAMES.join(', ')} would be right`);
  }
  const options = new Map<string, string>();
  for (const part of rest.length === 0 ? [] : rest.join(':').split(',')) {
    const [option, value] = parseOption(text, name, part);
    if (options.has(option)) refuse(text, `has ${option} twice`);
    options.set(option, value);
  }
  return { name, options: Object.fromEntries(options) };
}

/** The text that `parseDetector` reads as this, options in the registry's order. */
export function detectorText({ name, options }: DetectorSpec): string {
  const parts = Object.entries<DetectorOption>(DETECTORS[name].options).flatMap(([key, option]) => {
    const value = options[key];
    if (value === undefined) return [];
    return [isSwitch(option) && value === 'on' ? key : `${key}=${value}`];
  });
  return parts.length === 0 ? name : `${name}:${parts.join(',')}`;
}

/** The detector of every node; null for the oracle, which is none. */
export function createDetector(
  { name, options }: DetectorSpec,
  timing: Timing,
): AnyDetector | null {
  const entry: DetectorEntry = DETECTORS[name];
  return entry.create?.(timing, readOptions(entry.options, options, timing)) ?? null;
}

/** Its options with the defaults of such a network. */
export function detectorOptions({ name, options }: DetectorSpec, timing: Timing): ReadOption {
  return readOptions(DETECTORS[name].options, options, timing);
}

/** What is wrong, of options that cannot work together in such a network; null where all can. */
export function detectorClash({ name, options }: DetectorSpec, timing: Timing): string | null {
  const entry: DetectorEntry = DETECTORS[name];
  return entry.clash?.(readOptions(entry.options, options, timing), options) ?? null;
}

/** About how long after a crash the last live node suspects it, all going well. */
export function detectionTicks({ name, options }: DetectorSpec, timing: Timing): number {
  const entry: DetectorEntry = DETECTORS[name];
  return entry.detectionTicks(timing, readOptions(entry.options, options, timing));
}

/** How many numbers all nodes keep at most: some for each pair, an accruing one a window of them. */
export function entriesKept(
  { name, options }: DetectorSpec,
  timing: Timing,
  nodes: number,
): number {
  const known: DetectorOptions = DETECTORS[name].options;
  if (!Object.hasOwn(known, 'window')) return nodes ** 2;
  return nodes ** 2 * readOptions(known, options, timing).number('window');
}

function parseOption(text: string, name: DetectorName, part: string): [string, string] {
  const equals = part.indexOf('=');
  const key = equals < 0 ? part : part.slice(0, equals);
  const options: DetectorOptions = DETECTORS[name].options;
  const option = Object.hasOwn(options, key) ? options[key] : undefined;
  if (option === undefined) {
    const known = Object.keys(options).join(', ');
    refuse(text, `has no option ${JSON.stringify(key)}; ${name} has ${known}`);
  }
  if (equals < 0 && !isSwitch(option)) refuse(text, `gives ${key} no value, as in ${key}=…`);
  const value = equals < 0 ? 'on' : part.slice(equals + 1);
  const fault = optionFault(option, value);
  if (fault !== null) refuse(text, `has ${key}=${value}; it ${fault}`);
  return [key, value];
}

function refuse(text: string, detail: string): never {
  throw new LabError('arguments', `detector ${JSON.stringify(text)} ${detail}`);
}
