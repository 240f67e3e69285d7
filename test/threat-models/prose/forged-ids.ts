/**
 * @module
 * Derivations for the documents about work for IDs.
 */

import { ed25519 } from '@noble/curves/ed25519.js';
import { KEYS_MAX } from '../../../src/experiment/design/questions.ts';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { realBits } from '../../../src/mining/policy-cost.ts';
import { modelOf } from '../catalogue-judged.ts';
import type { Fact, Facts } from './fact.ts';
import { adversaryOf, changed, fact, long, measured, theory } from './fact.ts';
import { attemptsOf, bitsBelow, meanForged, theoryAlone, topOdds } from './parameters.ts';

/** Keys/s of a naive program in native code, as the documents state it. */
const NATIVE_RATE = 50_000;

const SIBLINGS: readonly Fact[] = [
  fact('makes about 4 000 Ed25519 keys/s from new seeds, and 18 000/s', () =>
    ['torsion-siblings-refused', 'torsion-siblings-accepted'].map((id) => rateOf(modelOf(id))),
  ),
  fact(/(?:other|the) seven points T/g, () => [TORSION.length - 1]),
  fact(/tests [\d ]+ keys, of which [\d.]+ pass/g, (model) => [
    attemptsOf(model),
    meanForged(model),
  ]),
  fact('One core makes', () => [1]),
];

/** The points of small order. */
const TORSION = torsionPoints();

export const FORGED_IDS: Facts = {
  'cpu-advantage': [
    fact('The bound of 1 %', ({ expect }) => [expect.probability]),
    fact('probability 99.5 %', theoryAlone),
  ],
  'top-id': [
    fact('2^-c1', () => [2]),
    fact('leads with probability E[K/(n+K)], here about 0.316', (model) => [topOdds(model)]),
  ],
  'top-id-naive': [
    fact('N = 300 000 keys, of which K ~ Bin(N, 2^-20) pass, with mean 0.29', (model) => [
      attemptsOf(model),
      2 ** -model.network.identity.c1,
      meanForged(model),
    ]),
    fact('The bound of 1 %', ({ expect }) => [expect.probability]),
    fact('about 50 000 keys/s and leads with probability 2.8 %', (model) => [
      NATIVE_RATE,
      theory(changed(model, `adversaries.main.rate=${NATIVE_RATE}`)),
    ]),
    fact('probability 0.28 %', theoryAlone),
    fact('leads in 87 % of all runs', () => theoryAlone(modelOf('top-id-strong'))),
  ],
  'top-id-strong': [
    fact('20 zero bits', ({ network }) => [network.identity.c1]),
    fact('half as many keys more', () => [KEYS_MAX - 1]),
    fact('dropped IDs 0.6 of a bit', () => [Math.log2(KEYS_MAX)]),
    fact('480 million keys, of which 458 would pass', (model) => [
      attemptsOf(model),
      meanForged(model),
    ]),
    fact('probability 87 %', theoryAlone),
    fact('compared with 0.28 %', () => theoryAlone(modelOf('top-id-naive'))),
    fact(/are\s+worth 10.6 bits/g, (model) => [
      Math.log2(rateOf(model) / rateOf(modelOf('top-id-naive'))),
    ]),
    fact('at about 50 000 keys/s, would gain 3.3 of these bits', () => [
      NATIVE_RATE,
      Math.log2(NATIVE_RATE / rateOf(modelOf('top-id-naive'))),
    ]),
    fact('below 1 % takes 30 bits, which cost an honest node 2.2 minutes', (model) => {
      const bits = bitsBelow(model, 0.01);
      return [0.01, bits, 2 ** bits / rateOf(model) / 60];
    }),
    fact('and 60 hours with the naive one', (model) => [
      2 ** bitsBelow(model, 0.01) / rateOf(modelOf('top-id-naive')) / 3600,
    ]),
  ],
  'torsion-siblings-accepted': [
    ...SIBLINGS,
    fact('eight keys with eight IDs', () => [TORSION.length, TORSION.length]),
    fact('with probability 29.0 % instead of 8.3 %', (model) => [
      theory(model),
      theory(modelOf('torsion-siblings-refused')),
    ]),
    fact('gains eight IDs with one secret', () => [TORSION.length]),
  ],
  'torsion-siblings-refused': [
    ...SIBLINGS,
    fact('16 zero bits', ({ network }) => [network.identity.c1]),
    fact('with probability 8.3 %', theoryAlone),
    fact('Without the check it would be 29.0 %', () => [
      theory(modelOf('torsion-siblings-accepted')),
    ]),
  ],
  'storj-like': [
    fact('36 trailing zero bits', ({ network }) => [network.identity.c1]),
    fact('SHA-256 twice', () => [2]),
    fact('so 36 bits are 28 bits of work', bitsStatedAndReal),
    fact(/The rate, [\d ]+ candidates\/s/g, (model) => [rateOf(model)]),
    fact('2.5e10 candidates, of which 94 pass at 28 real bits', (model) => [
      attemptsOf(model),
      meanForged(model),
      realBits(model.network.identity).c1,
    ]),
    fact('If all 36 bits were work, it would be 0.4 %', (model) => {
      const [stated = 0, real = 0] = bitsStatedAndReal(model);
      return [stated, topOdds(model, attemptsOf(model) * 2 ** (real - stated))];
    }),
    fact('eight free bits are a factor of 256', (model) => {
      const [stated = 0, real = 0] = bitsStatedAndReal(model);
      return [stated - real, 2 ** (stated - real)];
    }),
  ],
  'yggdrasil-like': [
    fact('tree of five thousand nodes', ({ network }) => [network.honest]),
    fact(/The rate, [\d ]+ keys\/s/g, (model) => [rateOf(model)]),
    fact('Each of its 10 million keys', (model) => [attemptsOf(model)]),
    fact('with probability N/(n+N) = 99.95 %', (model) => [
      attemptsOf(model) / (model.network.honest + attemptsOf(model)),
    ]),
    fact('search of the same second, 5 000 keys, would give 50 %', (model) => [
      rateOf(modelOf('top-id-naive')),
      topOdds(model, rateOf(modelOf('top-id-naive'))),
    ]),
    fact('32 zero bytes: it has order four', () => [32, orderOf(new Uint8Array(32))]),
  ],
  'sybil-quorum': [
    fact('One second of one core outvotes thirty honest nodes', (model) => [
      adversaryOf(model).budget.cpuSeconds ?? Number.NaN,
      1,
      model.network.honest,
    ]),
    fact('More than half of all identities', () => [0.5]),
    fact('8 million keys and finds 122 identities', (model) => [
      attemptsOf(model),
      meanForged(model),
    ]),
    fact('31 are enough, and P(K >= 31) is 1 to twelve digits', (model) => {
      const least = model.network.honest + 1;
      const odds = theory(model);
      return [least, least, odds, Math.abs(1 - odds) < 1e-12 ? 12 : Number.NaN];
    }),
    fact('At 18 bits it is 48.9 %, and at 19 bits 0.03 %', (model) =>
      [18, 19].flatMap((bits) => [bits, theory(changed(model, `network.identity.c1=${bits}`))]),
    ),
  ],
  'sybil-raft': [
    fact('8 million keys and finds 4 identities', (model) => [
      attemptsOf(model),
      meanForged(model),
    ]),
    long(
      fact('spoof-coordinator would lead in every run', (model) => [
        measured(changed(model, 'adversaries.main.behaviours=[spoof-coordinator]'), 40),
      ]),
    ),
    fact('leads 26 % of the elections', (model) => [theory(model)]),
  ],
};

function rateOf(model: ThreatModel): number {
  return Number(adversaryOf(model).rate);
}

function bitsStatedAndReal({ network: { identity } }: ThreatModel): readonly number[] {
  return [identity.c1, realBits(identity).c1];
}

/** The fewest bits at which the adversary leads with a smaller probability. */
function torsionPoints() {
  const { Point } = ed25519;
  const generator = Point.fromHex(
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  );
  const points = [Point.ZERO];
  for (let point = generator; !point.is0(); point = point.add(generator)) points.push(point);
  return points;
}

/** The order of the point that a key of small order encodes. */
function orderOf(key: Uint8Array): number {
  const point = ed25519.Point.fromBytes(key);
  let order = 1;
  for (let multiple = point; !multiple.is0(); multiple = multiple.add(point)) order += 1;
  return order;
}
