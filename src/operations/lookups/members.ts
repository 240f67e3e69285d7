/**
 * @module
 * The members of the input of `lookups`: the network, its tables, the lookups and the adversary.
 */

import { PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import { CONDUCTS } from '../../overlay/lookup.ts';
import { LATENCY_TICKS_LIMIT, parseLatency } from '../../simulation/faults/latency.ts';
import { file } from '../file.ts';
import { AGAINST } from '../identity/members.ts';
import { amount, amounts, choice, SEED, text } from '../member.ts';

/** What a request may ask for at most. */
export const REMOTE_LOOKUPS = {
  nodes: 20_000,
  rows: 64,
  keys: 20,
  /** Contacts in the tables of one network. */
  contacts: 2 ** 24,
  /** Contacts that are drawn or listed in all rows, at most: some half a minute. */
  work: 1e9,
} as const;

/** Number of nodes of a network whose size is not given. */
export const NODES = 10_000;

/** Number of keys for which IDs are forged, if it is not given. */
export const KEYS = 20;

const count = (min: number, max: number, slider: readonly [number, number]) =>
  ({ kind: 'count', bounds: { min, max }, slider }) as const;
const further = { isFurther: true } as const;

export const LOOKUPS_MEMBERS = {
  nodes: amounts({
    ...count(2, 2 ** 20, [2, 5]),
    most: 4,
    label: 'Nodes',
    meaning: 'Sizes of the network, without forged IDs',
    example: '10000',
    inForm: '1000',
    otherwise: `${NODES}, or those of against`,
  }),
  share: amounts({
    kind: 'probability',
    bounds: { min: 0, max: 0.95 },
    slider: [-2, -0.1],
    most: 20,
    label: 'Adversaries',
    meaning: 'Shares of the nodes that belong to the adversary: m',
    example: '0,20%,40%',
    initial: [0, 0.1, 0.2, 0.3, 0.4, 0.5],
  }),
  paths: amounts({
    ...count(1, 64, [0, 1.5]),
    most: 8,
    label: 'Disjoint paths',
    meaning: 'Numbers of disjoint paths of a lookup, at most k: d',
    example: '1,4,8',
    initial: [1, 2, 4, 8],
  }),
  conduct: choice(CONDUCTS, {
    label: 'Answers of adversaries',
    meaning: 'What adversaries answer',
    example: 'collude',
    each: {
      silent: 'nothing',
      collude: 'signed answers, each of which names the next colluders by closeness',
      invent: 'unsigned answers with invented nodes, which end the path',
    },
    initial: 'invent',
  }),
  lookups: amount({
    ...count(1, 1e6, [1, 5]),
    remoteMax: 10_000,
    label: 'Lookups',
    meaning: 'Lookups of each row, from random honest nodes',
    example: '10000',
    initial: 2000,
  }),
  bucket: amount({
    ...count(1, 256, [0, 2]),
    remoteMax: 64,
    label: 'Bucket',
    meaning: 'Most contacts in a bucket, and in an answer: k',
    example: '20',
    initial: 16,
  }),
  siblings: amount({
    ...count(1, 64, [0, 1.8]),
    label: 'Siblings',
    meaning: 'Nodes that are responsible for a key: s. The closest one leads it',
    example: '1',
    initial: 16,
  }),
  eta: amount({
    kind: 'number',
    bounds: { min: 0, max: 64 },
    remoteMax: 16,
    slider: [0, 1.5],
    label: 'Spread of siblings',
    meaning: 'A node knows η·s nodes around its own ID, and at least k',
    example: '1',
    initial: 5,
  }),
  parallel: amount({
    ...count(1, 16, [0, 1.2]),
    ...further,
    label: 'Parallel questions',
    meaning: 'Nodes that a path asks at once: α',
    example: '3',
    initial: 1,
  }),
  bits: amount({
    ...count(1, 4, [0, 0.6]),
    ...further,
    label: 'Bits of a step',
    meaning: 'Bits of the ID that a step resolves: b',
    example: '2',
    initial: 1,
  }),
  poison: amount({
    kind: 'number',
    bounds: { min: 1, max: 1e6 },
    slider: [0, 3],
    ...further,
    label: 'Poison',
    meaning: 'How many times as likely an adversary is to enter a bucket as an honest node',
    example: '10',
    initial: 1,
  }),
  latency: text(
    { read: parseLatency, number: { min: 1, max: LATENCY_TICKS_LIMIT } },
    {
      label: 'Latency',
      meaning: 'Latency of a message in ticks: 1, uniform:10:50, or exp:30 (the mean)',
      example: 'exp:30',
      ...further,
      otherwise: 'all paths take a step at the same time, and no message is lost',
    },
  ),
  loss: amount({
    kind: 'probability',
    bounds: { min: 0, max: 0.95 },
    slider: [-3, -0.1],
    ...further,
    label: 'Loss',
    meaning: 'Probability that a message is lost, with a latency',
    example: '5%',
    initial: 0,
  }),
  left: amount({
    kind: 'probability',
    bounds: { min: 0, max: 0.95 },
    slider: [-3, -0.1],
    ...further,
    label: 'Left',
    meaning: 'Share of honest nodes that have left since the tables were filled, with a latency',
    example: '10%',
    initial: 0,
  }),
  timeout: amount({
    ...count(1, 20 * LATENCY_TICKS_LIMIT, [0, 4]),
    ...further,
    label: 'Time-out',
    meaning: 'Ticks until a question counts as unanswered, with a latency',
    example: '100',
    otherwise: 'the longest way to a node and back',
  }),
  attempts: amount({
    ...count(1, Number.MAX_SAFE_INTEGER, [1, 9]),
    label: 'Attempts for a key',
    meaning: 'Keys that the adversary tests to forge IDs near each key that is looked up',
    example: '1e5',
    otherwise: 'none are forged',
  }),
  forged: amount({
    ...count(1, 256, [0, 2]),
    ...further,
    label: 'Forged IDs',
    meaning: 'Most forged IDs that join for a key: the closest ones',
    example: '45',
    otherwise: 'as many as siblings',
  }),
  keys: amount({
    ...count(1, 10_000, [0, 3]),
    remoteMax: REMOTE_LOOKUPS.keys,
    ...further,
    label: 'Keys',
    meaning: 'Keys for which IDs are forged, each without the IDs forged for the others',
    example: '100',
    otherwise: `${KEYS} with attempts`,
  }),
  c1: amount({
    ...count(0, PUZZLE_BITS_MAX, [0, 1.6]),
    label: 'Static bits',
    meaning: 'Zero bits that the static puzzle requires of each ID',
    example: '12',
    initial: 0,
  }),
  c2: amount({
    ...count(0, PUZZLE_BITS_MAX, [0, 1.6]),
    label: 'Dynamic bits',
    meaning: 'Zero bits that the dynamic puzzle requires of each ID',
    example: '16',
    initial: 0,
  }),
  against: file(AGAINST, {
    label: 'Node IDs of the network',
    meaning: 'The node IDs of the network, such as earned ones, one a line, instead of drawn ones',
    example: 'honest-ids.txt',
    ...further,
    otherwise: 'drawn',
  }),
  confidence: amount({
    kind: 'probability',
    bounds: { above: 0, below: 1 },
    slider: [-1, -0.001],
    ...further,
    label: 'Confidence',
    meaning: 'Confidence level of the intervals',
    example: '0.99',
    initial: 0.95,
  }),
  seed: SEED,
};
