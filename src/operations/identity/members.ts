/**
 * @module
 * The members of the input of `mine`, and the lower limits of a server: other jobs wait for a search.
 */

import { z } from 'zod';
import { SCHEME_NAMES } from '../../identity/keys/scheme.ts';
import { PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import { STOCKPILE_MAX } from '../../mining/saved-search.ts';
import { STRONGEST_STRATEGY } from '../../mining/strategies.ts';
import { DYNAMIC_STRATEGY_NAMES, STRATEGY_NAMES } from '../../mining/strategy.ts';
import { file } from '../file.ts';
import { amount, choice, member, policy, readable, SEED } from '../member.ts';
import { networkWish, wishOf } from './goals.ts';

/** What a request may ask for at most. */
/** Most characters of a list of node IDs on a command line. */
const AGAINST_CHARACTERS_MAX = 10_000_000;

export const REMOTE_MINING = {
  /** Longest search in wall seconds, and the default of a request with another bound. */
  wallSeconds: 3000,
  /** Wall seconds of a request without any bound. */
  wallSecondsDefault: 60,
  /** CPU seconds of all threads together. */
  cpuSeconds: 100_000,
  /** Each identity is made and checked by the slow, audited implementation. */
  identities: 256,
  /** Keys in stock. Every thread has a copy of them. */
  stockpile: 2 ** 18,
  /** Node IDs that a goal is compared with. */
  against: 512,
} as const;

/** The node IDs of a network in a request. */
export const AGAINST = z.union([
  z.string().max(AGAINST_CHARACTERS_MAX),
  z
    .array(z.string().regex(/^(?:[0-9a-f]{2}){2,32}$/, 'must be a node ID in lower-case hex'))
    .min(1, 'must name a node ID')
    .max(REMOTE_MINING.against, `must be at most ${REMOTE_MINING.against} node IDs`),
]);

/** Keys of a stockpile by default: a fraction of a second's work. */
export const STOCKPILE_DEFAULT = 2 ** 20;

const SECONDS_MAX = 1e9;
const WISHES = 'any, top, above:<id>, near:<id>, between:<id>:<id>, count:<k>';

const bits = {
  ...({ kind: 'count', slider: [0, 1.6] } as const),
  bounds: { min: 0, max: PUZZLE_BITS_MAX },
  otherwise: 'those of the policy',
};

/** An upper bound of what is spent. */
const bound = { isFurther: true, otherwise: 'no bound' } as const;
const counted = {
  ...({ kind: 'count', slider: [1, 9] } as const),
  bounds: { min: 1, max: Number.MAX_SAFE_INTEGER },
};
const timed = {
  ...({ kind: 'time', slider: [0, 3.5] } as const),
  bounds: { min: 0.001, max: SECONDS_MAX },
};

export const MINE_MEMBERS = {
  goal: member(
    {
      schema: readable(wishOf),
      remote: readable(networkWish),
      entry: { as: 'text' },
    },
    {
      label: 'Goal',
      meaning: `What is sought: ${WISHES}, or pair on a command line, with IDs in lower-case hex`,
      example: 'count:3',
      initial: 'any',
    },
  ),
  c1: amount({
    ...bits,
    label: 'Static bits',
    meaning: 'Zero bits that the static puzzle requires, instead of those of the policy',
    example: '12',
    inForm: '12',
  }),
  c2: amount({
    ...bits,
    label: 'Dynamic bits',
    meaning: 'Zero bits that the dynamic puzzle requires, instead of those of the policy',
    example: '8',
  }),
  policy: policy({
    label: 'Policy',
    meaning: 'Policy that the identity must meet',
    example: 'strict',
    otherwise: 'strict, and on a server its own',
  }),
  against: file(AGAINST, {
    label: 'Node IDs of the network',
    meaning: 'The node IDs that top must pass and near must beat, one a line',
    example: 'honest-ids.txt',
    isFurther: true,
    otherwise: 'none',
  }),
  attempts: amount({
    ...bound,
    ...counted,
    isFurther: undefined,
    label: 'Attempts',
    meaning:
      'Budget of candidates (keys) that are tested, such as 1e6 or 2^20. Solutions of the dynamic puzzle are none',
    example: '2^22',
  }),
  hashes: amount({
    ...bound,
    ...counted,
    label: 'Hashes',
    meaning: 'Budget of hash evaluations (scrypt: Salsa20/8 cores, argon2id: blocks)',
    example: '1e6',
  }),
  cpu: amount({
    ...bound,
    ...timed,
    remoteMax: REMOTE_MINING.cpuSeconds,
    label: 'CPU time',
    meaning: 'Budget of CPU time of all threads together, such as 5m',
    example: '5m',
  }),
  gpu: amount({
    ...bound,
    ...timed,
    remoteMax: REMOTE_MINING.wallSeconds,
    label: 'Device time',
    meaning: 'Budget of time in which the device of --device gpu searches, such as 30s',
    example: '30s',
  }),
  wall: amount({
    ...bound,
    ...timed,
    remoteMax: REMOTE_MINING.wallSeconds,
    label: 'Time',
    meaning: 'Budget of time on the wall, such as 90s or 2h',
    example: '90s',
    otherwise: `no bound; ${REMOTE_MINING.wallSecondsDefault} s on a server if there is no other bound, else ${REMOTE_MINING.wallSeconds} s`,
  }),
  scheme: choice(SCHEME_NAMES, {
    label: 'Signature scheme',
    meaning: 'Signature scheme of the keys',
    example: 'ed25519',
    isFurther: true,
    initial: 'ed25519',
  }),
  strategy: choice(STRATEGY_NAMES, {
    label: 'Strategy',
    meaning: 'How keys are found',
    example: 'walk',
    isFurther: true,
    initial: STRONGEST_STRATEGY,
  }),
  device: choice(['gpu'], {
    label: 'Device',
    meaning: 'What searches: gpu is a graphics card by WebGPU, which finds the same keys',
    example: 'gpu',
    isFurther: true,
    otherwise: 'the processor',
  }),
  dynamicStrategy: choice(DYNAMIC_STRATEGY_NAMES, {
    label: 'Dynamic strategy',
    meaning: 'How the dynamic puzzle is solved',
    example: 'dynamic',
    isFurther: true,
    otherwise: 'the strongest one: amortised-xor for the form xor, unless X = 0 is a solution',
  }),
  stockpile: amount({
    ...counted,
    bounds: { min: 1, max: STOCKPILE_MAX },
    remoteMax: REMOTE_MINING.stockpile,
    label: 'Stockpile',
    meaning: 'Keys that the strategy stockpile makes before the budget counts',
    example: '20000',
    isFurther: true,
    otherwise: `2^20, and on a server 2^${Math.log2(REMOTE_MINING.stockpile)}`,
  }),
  seed: {
    ...SEED,
    entry: { as: 'seed', isKey: true },
    meaning:
      'Seed that makes the search repeatable, as decimal digits; for use in this lab only, because it reveals the keys',
    absence: { otherwise: 'a secret one is drawn' },
    inForm: '',
  } as const,
};
