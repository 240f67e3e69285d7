/**
 * @module
 * This folder contains the inverse of a threat model: the difficulty that limits an adversary to ε, its cost
 * for honest nodes, whether they can afford it, and the defences that help if they cannot. This file uses
 * closed forms only. check.ts compares the answer with sampled runs.
 */

import { slowestQuantile } from '../theory/waiting.ts';
import type { DefenceEffect } from './defences.ts';
import { attemptsOf, defenceEffects, isPossible } from './defences.ts';
import type { Difficulty } from './difficulty.ts';
import { attemptsHeld, bearableDifficulty, neededDifficulty, nodesNeeded } from './difficulty.ts';
import { questionFor } from './questions.ts';
import type { DesignQuestion, DesignRequest } from './request.ts';
import { designRequest } from './request.ts';

/** Times that honest nodes mine at a difficulty, in seconds. */
export interface JoinTimes {
  readonly p50Seconds: number;
  readonly p95Seconds: number;
  /** At the quantile of the request. */
  readonly quantileSeconds: number;
}

/** A difficulty, and the probability of the event at its whole bits. */
export interface JudgedDifficulty extends Difficulty {
  readonly probability: number;
}

export interface Design {
  readonly request: DesignRequest;
  /** What must hold so that the closed form does. */
  readonly assumes: string;
  /** N: the attempts of the adversary. */
  readonly adversaryAttempts: number;
  /** The fewest bits that limit the adversary to ε. */
  readonly needed: JudgedDifficulty;
  /** An upper bound of the needed real bits, by Jensen's or Markov's inequality. */
  readonly safeBits: number;
  /** The most bits at which honest nodes join in time. Null if they have no time for one candidate. */
  readonly bearable: JudgedDifficulty | null;
  /** Affordable real bits minus needed real bits. */
  readonly spareBits: number | null;
  readonly isPossible: boolean;
  /** At the needed whole bits, for one honest node and for the slowest of all. */
  readonly join: { readonly one: JoinTimes; readonly slowest: JoinTimes };
  /** The change of each single member that would be enough. Null if none is. */
  readonly enough: {
    /** At most, at the affordable bits. */
    readonly time: number | null;
    /** At least, at the needed bits. */
    readonly joinTime: number;
    /** At least, at the affordable bits. */
    readonly nodes: number | null;
  };
  /** The effect of each defence of registration. */
  readonly remedies: readonly DefenceEffect[];
}

/** Answers the question. Throws LabError `arguments` if it is not valid. */
export function design(question: DesignQuestion): Design {
  const request = designRequest(question);
  const { nodes: honest, epsilon, advantage, rate } = request;
  const { probability: probabilityOf, safeBits, assumes } = questionFor(request.question);
  const attempts = attemptsOf(request);
  const judged = (difficulty: Difficulty): JudgedDifficulty => ({
    ...difficulty,
    probability: probabilityOf({ honest, attempts, difficultyBits: difficulty.wholeBits }),
  });
  const needed = neededDifficulty({ probabilityOf, honest, attempts, epsilon });
  const bearable = bearableDifficulty(request);
  const join = joinTimes(request, needed.wholeBits);
  const heldAttempts =
    bearable === null ? null : attemptsHeld({ probabilityOf, honest, epsilon }, bearable.wholeBits);
  return {
    request,
    assumes: assumes(request.protocol),
    adversaryAttempts: attempts,
    needed: judged(needed),
    safeBits: Math.max(0, safeBits({ honest, attempts }, epsilon)),
    bearable: bearable === null ? null : judged(bearable),
    spareBits: bearable === null ? null : bearable.realBits - needed.realBits,
    isPossible: isPossible(needed, bearable),
    join,
    enough: {
      time: heldAttempts === null ? null : heldAttempts / (advantage * rate),
      joinTime: join.one.quantileSeconds,
      nodes:
        bearable === null
          ? null
          : nodesNeeded({ probabilityOf, attempts, epsilon }, bearable.wholeBits),
    },
    remedies: defenceEffects(request),
  };
}

function joinTimes(request: DesignRequest, difficultyBits: number): Design['join'] {
  const { rate, joinQuantile } = request;
  const timesOf = (nodes: number): JoinTimes => {
    const seconds = (quantile: number) =>
      slowestQuantile(2 ** -difficultyBits, { nodes, quantile }) / rate;
    return {
      p50Seconds: seconds(0.5),
      p95Seconds: seconds(0.95),
      quantileSeconds: seconds(joinQuantile),
    };
  };
  return { one: timesOf(1), slowest: timesOf(request.nodes) };
}
