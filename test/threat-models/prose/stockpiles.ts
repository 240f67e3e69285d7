/**
 * @module
 * Derivations for the documents about keys in stock.
 */

import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { modelOf } from '../catalogue-judged.ts';
import type { Fact, Facts } from './fact.ts';
import { adversaryOf, fact, theory } from './fact.ts';
import { attemptsOf } from './parameters.ts';

const COMMON: readonly Fact[] = [
  fact(/the adversary makes [\d ]+ keys/g, (model) => [stockOf(model)]),
  fact(/it can test [\d ]+ keys, the work of four honest nodes/g, (model) => [
    attemptsOf(model),
    attemptsOf(model) / attemptsEach(model),
  ]),
];

export const STOCKPILES: Facts = {
  'stockpile-no-salt': [
    ...COMMON,
    fact('contains 256 identities that pass, and each window adds four', (model) => [
      stockOf(model) / attemptsEach(model),
      attemptsOf(model) / attemptsEach(model),
    ]),
    fact('K ~ Bin(1 130 496, 2^-12), with mean 276, against 20', (model) => [
      keysOf(model),
      1 / attemptsEach(model),
      keysOf(model) / attemptsEach(model),
      model.network.honest,
    ]),
  ],
  'stockpile-salted-both': [
    ...COMMON,
    fact('K ~ Bin(16 384, 2^-12), with mean four', (model) => [
      attemptsOf(model),
      1 / attemptsEach(model),
      attemptsOf(model) / attemptsEach(model),
    ]),
    fact('With no salt it was 93.2 %, with a salted puzzle alone 91.9 %', () => [
      theory(modelOf('stockpile-no-salt')),
      theory(modelOf('stockpile-salted-puzzle')),
    ]),
  ],
  'stockpile-salted-puzzle': [
    ...COMMON,
    fact('on average one in 21 of a million', (model) => [
      // The share of IDs above n uniform ones is 1/(n+1) on average.
      model.network.honest + 1,
      Math.round(stockOf(model) / 1e6) * 1e6,
    ]),
    fact('One in 4 096', (model) => [attemptsEach(model)]),
    fact('so that 16 384 tests', (model) => [attemptsOf(model)]),
    fact('with probability 91.9 %, slightly less than the 93.2 %', (model) => [
      theory(model),
      theory(modelOf('stockpile-no-salt')),
    ]),
  ],
};

function stockOf(model: ThreatModel): number {
  return adversaryOf(model).stockpile ?? Number.NaN;
}

/** All keys that the adversary tests, in stock and in the windows of all epochs. */
function keysOf(model: ThreatModel): number {
  return stockOf(model) + (model.epochs?.count ?? 0) * attemptsOf(model);
}

/** Attempts for an identity, on average. */
function attemptsEach({ network }: ThreatModel): number {
  return 2 ** network.identity.c1;
}
