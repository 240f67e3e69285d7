/**
 * @module
 * Derivations for the documents about captured ranks: an eclipse and rented cores.
 */

import { KEYS_MAX } from '../../../src/experiment/design/questions.ts';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import type { Facts } from './fact.ts';
import { adversaryOf, changed, fact, statement, theory } from './fact.ts';
import { attemptsOf, bitsBelow, meanForged, theoryAlone } from './parameters.ts';

export const CAPTURES: Facts = {
  'eclipse-successors': [
    fact(/(?:three successors|The three nodes after|All three)/g, ({ expect }) => [expect.count]),
    // A sibling takes one hash and half of a group operation, which takes as long as two hashes.
    fact('12 000 000 keys in the time of 8 000 000 evaluations', (model) => [
      ...[(attemptsOf(model) * (1 + 1 + 1)) / (1 + 1), attemptsOf(model)],
    ]),
    fact('The next three of a given node', ({ expect }) => [expect.count]),
    fact('own with probability 48.6 %, and the next one with 78.7 %', (model) => [
      ...[successors(model, model.expect.count), successors(model, 1)],
    ]),
    fact('With three bits more the probability for all three is 2.9 %', (model) => {
      const harder = `network.identity.c1=${model.network.identity.c1 + 3}`;
      return [3, model.expect.count, successors(model, model.expect.count, harder)];
    }),
    statement('Longer successor lists help', (model) => {
      const odds = [1, 2, 3, 4, 5, 6].map((count) => successors(model, count));
      return odds.every((each, index) => index === 0 || each < (odds[index - 1] ?? 0));
    }),
  ],
  'rented-hash-power': [
    fact('about nine minutes (2^32 keys at 8 000 000/s)', (model) => {
      const { tests, rate } = honestWork(model);
      return [tests / rate / 60, tests, rate];
    }),
    fact('rents a thousand machines', (model) => [minutes(model)]),
    fact('A thousand rented cores', (model) => [minutes(model)]),
    fact('The thousand cores have the time to test 4.8e11 keys, of which 112 would', (model) => [
      ...[minutes(model), attemptsOf(model), meanForged(model)],
    ]),
    fact('half as many keys more', () => [KEYS_MAX - 1]),
    fact('60 000 CPU seconds', (model) => [adversaryOf(model).budget.cpuSeconds ?? Number.NaN]),
    fact('One core would lead in 0.16 %', (model) => [
      1,
      theory(changed(model, 'adversaries.main.budget.cpuSeconds=60')),
    ]),
    fact('with probability 62.5 %', theoryAlone),
    fact('thousand below 1 % takes 40 bits, which cost 38 hours', (model) => {
      const bits = bitsBelow(model, 0.01);
      return [minutes(model), 0.01, bits, 2 ** bits / honestWork(model).rate / 3600];
    }),
  ],
};

function successors(model: ThreatModel, count: number, ...settings: readonly string[]): number {
  return theory(changed(model, `expect.count=${count}`, ...settings));
}

/** Mean tests for an identity, and the rate of a core. */
function honestWork(model: ThreatModel) {
  return { tests: 2 ** model.network.identity.c1, rate: Number(adversaryOf(model).rate) };
}

/** Minutes of one core. */
function minutes(model: ThreatModel): number {
  return (adversaryOf(model).budget.cpuSeconds ?? Number.NaN) / 60;
}
