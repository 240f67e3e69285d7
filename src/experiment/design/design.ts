/**
 * @module
 * The inverse of a threat model: not how often an adversary leads at a difficulty, but which difficulty
 * holds it to ε, what that asks of honest nodes, whether they bear it, and which defence would help
 * where they do not. Closed forms alone; `design-check.ts` holds the answer against sampled runs.
 */

import { safeDifficultyBits, topProbability } from '../theory/closed-forms.ts';
import { slowestQuantile } from '../theory/waiting.ts';
import type { DefenceEffect } from './defences.ts';
import { attemptsOf, defenceEffects, isPossible } from './defences.ts';
import type { Difficulty } from './difficulty.ts';
import { attemptsHeld, bearableDifficulty, neededDifficulty, nodesNeeded } from './difficulty.ts';
import type { DesignQuestion, DesignRequest } from './request.ts';
import { designRequest } from './request.ts';

/** How long honest nodes mine at a difficulty, in seconds. */
export interface JoinTimes {
  readonly p50Seconds: number;
  readonly p95Seconds: number;
  /** At the quantile of the request. */
  readonly quantileSeconds: number;
}

/** A difficulty, and the probability of the adversary's lead at its whole bits. */
export interface JudgedDifficulty extends Difficulty {
  readonly probability: number;
}

export interface Design {
  readonly request: DesignRequest;
  /** N. */
  readonly adversaryAttempts: number;
  /** The fewest bits that hold the adversary to ε. */
  readonly needed: JudgedDifficulty;
  /** The real bits by Jensen's bound, never fewer. */
  readonly safeBits: number;
  /** The most bits at which honest nodes join in time; null where they cannot try one candidate. */
  readonly bearable: JudgedDifficulty | null;
  /** How many real bits honest nodes would bear beyond those needed; negative where they lack. */
  readonly spareBits: number | null;
  readonly isPossible: boolean;
  /** At the whole bits needed: for one honest node, and for the slowest of all. */
  readonly join: { readonly one: JoinTimes; readonly slowest: JoinTimes };
  /** What would do by itself, everything else as it is; null where nothing would. */
  readonly enough: {
    /** At most, at the bits that are borne. */
    readonly adversarySeconds: number | null;
    /** At least, at the bits that are needed. */
    readonly joinSeconds: number;
    /** At least, at the bits that are borne. */
    readonly nodes: number | null;
  };
  readonly defences: readonly DefenceEffect[];
}

/** Answers the question; throws LabError `arguments` where it is none. */
export function design(question: DesignQuestion): Design {
  const request = designRequest(question);
  const { nodes: honest, epsilon, advantage, candidatesPerSecond } = request;
  const attempts = attemptsOf(request);
  const judged = (difficulty: Difficulty): JudgedDifficulty => ({
    ...difficulty,
    probability: topProbability({ honest, attempts, difficultyBits: difficulty.wholeBits }),
  });
  const needed = neededDifficulty({ honest, attempts, epsilon });
  const bearable = bearableDifficulty(request);
  const join = joinTimes(request, needed.wholeBits);
  const heldAttempts =
    bearable === null ? null : attemptsHeld({ honest, epsilon }, bearable.wholeBits);
  return {
    request,
    adversaryAttempts: attempts,
    needed: judged(needed),
    safeBits: Math.max(0, safeDifficultyBits({ honest, attempts }, epsilon)),
    bearable: bearable === null ? null : judged(bearable),
    spareBits: bearable === null ? null : bearable.realBits - needed.realBits,
    isPossible: isPossible(needed, bearable),
    join,
    enough: {
      adversarySeconds:
        heldAttempts === null ? null : heldAttempts / (advantage * candidatesPerSecond),
      joinSeconds: join.one.quantileSeconds,
      nodes: bearable === null ? null : nodesNeeded({ attempts, epsilon }, bearable.wholeBits),
    },
    defences: defenceEffects(request),
  };
}

function joinTimes(request: DesignRequest, difficultyBits: number): Design['join'] {
  const { candidatesPerSecond, joinQuantile } = request;
  const timesOf = (nodes: number): JoinTimes => {
    const seconds = (quantile: number) =>
      slowestQuantile(2 ** -difficultyBits, { nodes, quantile }) / candidatesPerSecond;
    return {
      p50Seconds: seconds(0.5),
      p95Seconds: seconds(0.95),
      quantileSeconds: seconds(joinQuantile),
    };
  };
  return { one: timesOf(1), slowest: timesOf(request.nodes) };
}
