/**
 * @module
 * Derivations for the documents about the XOR puzzle.
 */

import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { modelOf } from '../catalogue-judged.ts';
import type { Fact, Facts } from './fact.ts';
import { adversaryOf, fact } from './fact.ts';

const HASHES_PER_KEY = 2;

const COMMON: readonly Fact[] = [
  fact('4 zero bits for the key, and 12 for a solution', ({ network: { identity } }) => [
    identity.c1,
    identity.c2,
  ]),
  fact(/begins? with 12 zero bits/g, ({ network }) => [network.identity.c2]),
  fact('can spend 16 000 hashes', (model) => [hashesOf(model)]),
  fact('Nine identities, a majority against 8 honest nodes', ({ network: { honest } }) => [
    honest + 1,
    honest,
  ]),
];

export const DYNAMIC_PUZZLES: Facts = {
  'xor-puzzle-amortised': [
    ...COMMON,
    fact('(Baumgart and Mies, 2007)', () => [2007]),
    fact('about 4 096 attempts, or an admitted key without about 16', ({ network }) => [
      2 ** network.identity.c2,
      2 ** network.identity.c1,
    ]),
    fact('takes 4 096 hashes on average', ({ network }) => [2 ** network.identity.c2]),
    fact('nine keys take 32 hashes each', (model) => [model.network.honest + 1, keyHashes(model)]),
    fact('gets nine in about 98 % of all runs', (model) => [
      model.network.honest + 1,
      sharedInBudget(model),
    ]),
    fact('also pays 4 096 for its solution', ({ network }) => [2 ** network.identity.c2]),
    fact('about 372 identities', (model) => [
      (hashesOf(model) - 2 ** model.network.identity.c2) / keyHashes(model),
    ]),
  ],
  'xor-puzzle-repaired': [
    ...COMMON,
    fact('4 096 hashes for its X and 32 for its key', (model) => [
      2 ** model.network.identity.c2,
      keyHashes(model),
    ]),
    fact('the budget pays for 3.9 identities', (model) => [meanIdentities(model)]),
    fact('nine are found in about 2 % of all runs', (model) => {
      const wanted = model.network.honest + 1;
      return [wanted, poissonTail(wanted, meanIdentities(model))];
    }),
    fact('With the XOR form nine are found in about 98 % of all runs', (model) => [
      model.network.honest + 1,
      sharedInBudget(modelOf('xor-puzzle-amortised')),
    ]),
  ],
};

function hashesOf(model: ThreatModel): number {
  return adversaryOf(model).budget.hashes ?? Number.NaN;
}

/** Hashes for an admitted key, on average. */
function keyHashes({ network }: ThreatModel): number {
  return HASHES_PER_KEY * 2 ** network.identity.c1;
}

/** The probability that the hashes left after nine keys find the Y that serves all IDs. */
function sharedInBudget(model: ThreatModel): number {
  const { network } = model;
  const left = hashesOf(model) - (network.honest + 1) * keyHashes(model);
  return 1 - (1 - 2 ** -network.identity.c2) ** left;
}

function meanIdentities(model: ThreatModel): number {
  return hashesOf(model) / (2 ** model.network.identity.c2 + keyHashes(model));
}

/** P(X >= least) for X ~ Poisson(mean): searches one after the other are a Poisson process. */
function poissonTail(least: number, mean: number): number {
  let [below, term] = [0, Math.exp(-mean)];
  for (let count = 0; count < least; count += 1) {
    below += term;
    term *= mean / (count + 1);
  }
  return 1 - below;
}
