/**
 * @module
 * What a design limits, by protocol. Where the rank decides, it is the probability of the top ID. Where the
 * rank has no meaning, it is the share of the terms. Where a majority of votes decides, it can also be the
 * capture of a majority, or its denial. Each question has a closed form in the number K of forged identities,
 * and states what it assumes.
 */

import type { Protocol } from '../../election/definition/protocol.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { STRICT_POLICY } from '../../identity/policy.ts';
import { attemptTime } from '../../mining/ledger.ts';
import { STRATEGIES, STRONGEST_STRATEGY } from '../../mining/strategies.ts';
import type { PropertyName } from '../properties/registry.ts';
import { binomialTail } from '../theory/binomial-odds.ts';
import type { Forging } from '../theory/closed-forms.ts';
import { safeDifficultyBits, topProbability } from '../theory/closed-forms.ts';
import { keysWithin } from '../theory/filtered-odds.ts';

interface Question {
  /** What the adversary does, after "an adversary …". */
  readonly event: string;
  /** The same as a noun phrase, for the axis of a chart. */
  readonly title: string;
  /** What the adversary of the closed form registers and does, for the caption of a chart. */
  readonly response: string;
  /** Why it cannot be asked about a protocol. Null if it can. */
  readonly unfit: (protocol: Protocol) => string | null;
  /** One or two sentences: what must hold so that the closed form does. */
  readonly assumes: (protocol: ProtocolName) => string;
  readonly formula: string;
  readonly probability: (forging: Forging) => number;
  /** The probability if the ranks are drawn later, so that every attempt is whole. By default `probability`. */
  readonly probabilityDrawn?: (forging: Forging) => number;
  /** An upper bound of the real bits that limit the probability, in closed form. */
  readonly safeBits: (forging: Pick<Forging, 'honest' | 'attempts'>, probability: number) => number;
  readonly check: QuestionCheck;
}

/** The sampled runs that check the closed form. */
interface QuestionCheck {
  readonly property: PropertyName;
  /** Whether each identity is drawn with its rank. Otherwise the best of them is enough. */
  readonly drawsAll: boolean;
  /** Whether the leader is drawn among all identities after registration, as a beacon does. */
  readonly drawsLeader: boolean;
}

const { cost } = STRATEGIES[STRONGEST_STRATEGY];
const PUZZLED = { ...STRICT_POLICY, c1: 1 };
/** Times of a key without and with its puzzle, in that of a hash. */
export const KEY = {
  made: attemptTime(cost(PUZZLED, 'ed25519', 0)),
  time: attemptTime(cost(PUZZLED, 'ed25519')),
};
/** Keys in the time of one whole attempt, if no ID is worth a puzzle. */
export const KEYS_MAX = KEY.time / KEY.made;

const MISBEHAVIOUR =
  'Misbehaviour in the election is not limited by a difficulty: usurp attack shows what it does.';

const ALL = 'all identities that the budget pays for';
const FOLLOWS = 'follows the protocol';

const QUESTIONS = {
  'adversary-leads': {
    event: 'leads',
    title: 'adversary leads',
    response: `one identity, the best: only IDs above all honest ones are worth their puzzle; ${FOLLOWS}`,
    unfit: ({ name, isRanked, elects }) => {
      if (elects === 'attribute') return `${name} elects by what nodes claim of themselves`;
      return isRanked ? null : `the rank has no meaning in ${name}`;
    },
    assumes: (protocol) =>
      `The highest live rank leads in ${protocol}, ranks follow from node IDs, and the adversary has the top ID if the best of its identities is above all n honest ones. It knows the honest IDs, and evaluates the puzzles of higher IDs only, so that it makes up to ${KEYS_MAX}N keys in the time of N whole attempts. ${MISBEHAVIOUR}`,
    formula: `E[1-(1-p*q)^(${KEY.time}N/(${KEY.made}+q))], q the share of IDs above all n honest ones`,
    probability: filteredProbability,
    probabilityDrawn: topProbability,
    safeBits: ({ honest, attempts }, probability) =>
      safeDifficultyBits({ honest, attempts: KEYS_MAX * attempts }, probability),
    check: { property: 'adversary-leads', drawsAll: false, drawsLeader: false },
  },
  'leads-more-than-share': {
    event: 'leads more often than its share',
    title: 'adversary leads more often than its share',
    response: `${ALL}; ${FOLLOWS}`,
    unfit: ({ name, isRanked }) => (isRanked ? `the rank decides in ${name}` : null),
    assumes: (protocol) =>
      `The rank has no meaning in ${protocol}: if all nodes follow the protocol, each of the n+K identities is equally likely to lead a term, and to lead one term is more than the share. ${MISBEHAVIOUR}`,
    formula: 'E[K/(n+K)]',
    probability: topProbability,
    safeBits: safeDifficultyBits,
    check: { property: 'adversary-leads', drawsAll: true, drawsLeader: true },
  },
  'majority-captured': {
    event: 'captures a majority of the voters',
    title: 'adversary captures a majority',
    response: `${ALL}; votes for itself`,
    unfit: withoutMajority,
    assumes: (protocol) =>
      `Each identity has one vote in ${protocol}. With K > n of n+K votes the adversary forms every quorum alone. ${MISBEHAVIOUR}`,
    formula: 'P(K >= n+1)',
    probability: (forging) => tail(forging, forging.honest + 1),
    safeBits: ({ honest, attempts }, probability) => markovBits(attempts, honest + 1, probability),
    check: { property: 'majority-captured', drawsAll: true, drawsLeader: false },
  },
  'no-leader': {
    event: 'prevents a leader',
    title: 'adversary prevents a leader',
    response: `${ALL}; withholds its votes`,
    unfit: withoutMajority,
    assumes: (protocol) =>
      `Honest nodes elect a leader in ${protocol} if they are a majority of all identities, and the adversary only withholds its votes: with K >= n of n+K votes no candidate has a majority. ${MISBEHAVIOUR}`,
    formula: 'P(K >= n)',
    probability: (forging) => tail(forging, forging.honest),
    safeBits: ({ honest, attempts }, probability) => markovBits(attempts, honest, probability),
    check: { property: 'majority-denied', drawsAll: true, drawsLeader: false },
  },
} as const satisfies Readonly<Record<string, Question>>;

export type DesignQuestionName = keyof typeof QUESTIONS;

/** The keys of an object are strings to the compiler: hence the `as`. */
export const DESIGN_QUESTIONS = Object.keys(QUESTIONS) as readonly DesignQuestionName[];

/** The definition of a question. */
export function questionFor(name: DesignQuestionName): Question {
  return QUESTIONS[name];
}

/** The question about a protocol if none is stated: the first one that fits. Null if none does. */
export function usualQuestion(protocol: ProtocolName): DesignQuestionName | null {
  return DESIGN_QUESTIONS.find((name) => unfitReason(name, protocol) === null) ?? null;
}

/** Why a question cannot be asked about a protocol, with those that can. Null if it can. */
export function unfitReason(name: DesignQuestionName, protocol: ProtocolName): string | null {
  const { unfit }: Question = QUESTIONS[name];
  return unfit(PROTOCOLS[protocol]);
}

function filteredProbability(forging: Forging): number {
  const { attempts, difficultyBits } = forging;
  // Without a puzzle no ID is worth dropping.
  if (difficultyBits === 0) return topProbability(forging);
  const each = { key: KEY.made, puzzle: KEY.time - KEY.made };
  return topProbability({ ...forging, attemptsAt: keysWithin(attempts * KEY.time, each) });
}

function withoutMajority({ name, family }: Protocol): string | null {
  return family === 'quorum' ? null : `${name} elects without a majority of votes`;
}

/** P(K ≥ `least`), K ~ Bin(N, 2^-c). Above 2^60 attempts the law is that of 2^60 with the same mean. */
function tail({ attempts, difficultyBits }: Forging, least: number): number {
  const trials = Math.min(Math.floor(attempts), TRIALS_MAX);
  const probability = 2 ** -difficultyBits * Math.max(1, attempts / TRIALS_MAX);
  return probability >= 1 ? Number(trials >= least) : binomialTail({ trials, probability }, least);
}

const TRIALS_MAX = 2 ** 60;

/** Bits at which P(K ≥ m) is at most a probability, by Markov's inequality: λ/m with λ = N·2^-c. */
function markovBits(attempts: number, least: number, probability: number): number {
  return Math.log2(attempts / (least * probability));
}
