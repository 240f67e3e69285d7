/**
 * @module
 * Derivations for the documents about epochs of registration.
 */

import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { foundProbability } from '../../../src/mining/odds.ts';
import { judged, modelOf } from '../catalogue-judged.ts';
import type { Facts } from './fact.ts';
import { adversaryOf, changed, fact, long, measured, theory } from './fact.ts';
import { attemptsOf, meanForged } from './parameters.ts';

const RUNS = 2000;

export const EPOCHS: Facts = {
  'commit-then-beacon': [
    fact('12 zero bits', ({ network }) => [network.identity.c1]),
    fact('can test 8 192 keys', (model) => [attemptsOf(model)]),
    fact('K ~ Bin(8 192, 2^-12), with mean two', (model) => [
      attemptsOf(model),
      2 ** -model.network.identity.c1,
      meanForged(model),
    ]),
  ],
  'last-revealer': [
    fact('12 zero bits', ({ network }) => [network.identity.c1]),
    fact('can test 8 192 keys', (model) => [attemptsOf(model)]),
    fact('Three of the contributions', (model) => [adversaryOf(model).reveals]),
    fact('2^3 beacons', (model) => [2 ** adversaryOf(model).reveals]),
    fact('one of eight', (model) => [2 ** adversaryOf(model).reveals]),
    fact('1-E[(n/(n+K))^8] = 46.7 % instead of 8.7 %', (model) => [
      ...[1, 2 ** adversaryOf(model).reveals],
      ...[theory(model), theory(modelOf('commit-then-beacon'))],
    ]),
    fact('with six contributions it would be 85.2 %', (model) => [
      6,
      theory(changed(model, 'adversaries.main.reveals=6')),
    ]),
  ],
  'difficulty-inflation': [
    fact('at first of 12 bits', ({ network }) => [network.identity.c1]),
    fact('65 536 tests on it in a window, sixteen times the mean cost', (model) => [
      honestAttempts(model),
      honestAttempts(model) / 2 ** model.network.identity.c1,
    ]),
    fact('20 joins in each epoch', (model) => [retargetingOf(model).joins]),
    fact('at most two bits', (model) => [retargetingOf(model).stepBits]),
    fact(
      '4 194 304 keys a window, about half a second of a core that tests 8 000 000 keys/s',
      (model) => {
        const rate = Number(adversaryOf(modelOf('top-id-strong')).rate);
        return [attemptsOf(model), attemptsOf(model) / rate, rate];
      },
    ),
    fact('1 024 identities in the first epoch', (model) => [meanForged(model)]),
    long(
      fact('All 20 honest nodes join in each epoch up to the seventh', (model) => {
        const { nodes, fewer, joins } = courseOf(model);
        return [nodes, joins.length - fewer.length];
      }),
    ),
    long(
      fact('two bits in each of the last three epochs, and 19.6, 12.6 and 4.4', (model) => {
        const { fewer } = courseOf(model);
        return [retargetingOf(model).stepBits, fewer.length, ...fewer];
      }),
    ),
    fact('At 18 bits', (model) => [lastBits(model)]),
    fact('1-(1-2^-18)^65536 = 22 %', (model) => {
      const [bits, attempts] = [lastBits(model), honestAttempts(model)];
      return [1, 1, 2 ** -bits, attempts, foundProbability(2 ** -bits, attempts)];
    }),
    // What the property says.
    fact('More than half of the honest nodes', () => [1 / 2]),
    long(
      fact('in 99.3 % of all runs, and in no run without an attack', (model) => [
        measured(model, RUNS),
        measured(changed(model, 'adversaries.main.budget.attempts=0'), RUNS),
      ]),
    ),
    fact('64 times the budget of one honest node, and about three times that of all', (model) => {
      const times = attemptsOf(model) / honestAttempts(model);
      return [times, times / model.network.honest];
    }),
    long(
      fact('a quarter of this budget, it succeeds in 46 % of all runs', (model) => {
        const attempts = attemptsOf(model) / 4;
        return [
          1 / 4,
          measured(changed(model, `adversaries.main.budget.attempts=${attempts}`), RUNS),
        ];
      }),
    ),
  ],
};

/** The mean joins of honest nodes in each epoch, and those that are fewer than the nodes. */
function courseOf(model: ThreatModel) {
  const { honest: nodes } = model.network;
  const rows = judged(model, RUNS).workByEpoch ?? [];
  const joins = rows.map((row) => row.joins.honest);
  return { nodes, joins, fewer: joins.filter((count) => count < nodes) };
}

/** The bits of the last epoch, which three steps reach. */
function lastBits(model: ThreatModel): number {
  return model.network.identity.c1 + 3 * retargetingOf(model).stepBits;
}

function honestAttempts({ epochs }: ThreatModel): number {
  return epochs?.honestAttempts ?? Number.NaN;
}

function retargetingOf({ epochs }: ThreatModel) {
  return epochs?.retargeting ?? { joins: Number.NaN, stepBits: Number.NaN };
}
