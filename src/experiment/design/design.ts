/**
 * @module
 * This folder contains the inverse of a threat model: the difficulty that limits an adversary to ε, its cost
 * for honest nodes, whether they can afford it, and the defences that help if they cannot. This file uses
 * closed forms only. check.ts compares the answer with sampled runs.
 */

import { z } from 'zod';

import { slowestQuantile } from '../theory/waiting.ts';
import { attemptsOf, defenceEffectSchema, defenceEffects, isPossible } from './defences.ts';
import type { Difficulty } from './difficulty.ts';
import {
  attemptsHeld,
  bearableDifficulty,
  difficultySchema,
  neededDifficulty,
  nodesNeeded,
} from './difficulty.ts';
import { questionFor } from './questions.ts';
import type { DesignQuestion, DesignRequest } from './request.ts';
import { designRequest, designRequestSchema } from './request.ts';

/** Times that honest nodes mine at a difficulty, in seconds. */
const timesSchema = z.object({
  p50Seconds: z.number(),
  p95Seconds: z.number(),
  quantileSeconds: z.number().describe('At joinQuantile.'),
});

export type JoinTimes = Readonly<z.output<typeof timesSchema>>;

/** A difficulty, and the probability of the event at its whole bits. */
const judgedSchema = difficultySchema.extend({
  probability: z.number().describe('Probability of the event, at the whole number of bits.'),
});

export type JudgedDifficulty = Readonly<z.output<typeof judgedSchema>>;

/** An answer without its check and without the costs of elections. */
export const designSchema = z.object({
  request: designRequestSchema.describe('With all defaults.'),
  assumes: z.string().describe('Assumptions of the closed form.'),
  /** N of the closed form. */
  adversaryAttempts: z.number(),
  /** The fewest bits that limit the adversary to ε. */
  needed: judgedSchema,
  /** An upper bound of the needed real bits, by Jensen's or Markov's inequality. */
  safeBits: z.number(),
  /** The most bits at which honest nodes join in time. */
  bearable: judgedSchema.nullable().describe('Null if there is not enough time for one candidate.'),
  /** Affordable real bits minus needed real bits. */
  spareBits: z.number().nullable(),
  isPossible: z.boolean(),
  /** At the needed whole bits, for one honest node and for the slowest of all. */
  join: z.object({ one: timesSchema, slowest: timesSchema }),
  /** The change of each single member that would be enough. Null if none is. */
  enough: z.object({
    /** At most, at the affordable bits. */
    time: z.number().nullable(),
    /** At least, at the needed bits. */
    joinTime: z.number(),
    /** At least, at the affordable bits. */
    nodes: z.number().nullable(),
  }),
  remedies: z
    .array(defenceEffectSchema)
    .readonly()
    .describe('The effect of each defence of registration.'),
});

export type Design = Readonly<z.output<typeof designSchema>>;

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
