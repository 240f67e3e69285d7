/**
 * @module
 * Phrases that many documents share. Their numerals are members of the document, or follow from them by
 * the closed form.
 */

import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { lacksLeader } from '../../../src/experiment/properties/sighting.ts';
import { budgetAttempts } from '../../../src/experiment/runs/budget.ts';
import { topProbability } from '../../../src/experiment/theory/closed-forms.ts';
import { realBits } from '../../../src/mining/policy-cost.ts';
import { modelOf } from '../catalogue-judged.ts';
import type { Fact } from './fact.ts';
import { adversaryOf, changed, fact, theory } from './fact.ts';

/** Candidates that the adversary tests in a run, or in a window. */
export function attemptsOf(model: ThreatModel): number {
  return budgetAttempts(model, adversaryOf(model), null);
}

/** The mean number of identities that pass. */
export function meanForged(model: ThreatModel): number {
  return attemptsOf(model) * 2 ** -realBits(model.network.identity).c1;
}

/** E[K/(n+K)], K ~ Bin(attempts, 2^-bits). */
export function topOdds(model: ThreatModel, attempts = attemptsOf(model)): number {
  const difficultyBits = realBits(model.network.identity).c1;
  return topProbability({ honest: model.network.honest, attempts, difficultyBits });
}

/** The closed form, which counts the IDs that are dropped before their puzzle. */
export function theoryAlone(model: ThreatModel): readonly number[] {
  return [theory(model)];
}

/** The least bits at which the closed form is below a probability. */
export function bitsBelow(model: ThreatModel, probability: number): number {
  let bits = 0;
  while (theory(changed(model, `network.identity.c1=${bits}`)) >= probability) bits += 1;
  return bits;
}

/** A second, minute, hour or day of one core. */
const SECONDS: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3600, day: 86400 };

export const PARAMETERS: readonly Fact[] = [
  fact(/\d[\d ]* honest (?:nodes|ones|IDs|identities)/g, ({ network }) => [network.honest]),
  fact(/two (?:leaders|halves)/gi, () => [2]),
  fact('The rate of 8 000 000 keys/s', rateOf),
  fact('a quarter of the second half', () => [lastingShare(), 1 / 2]),
  fact('second half', () => [1 / 2]),
  fact('each half', () => [1 / 2]),
  fact('stops one core', () => [1]),
  fact('one identity each', () => [1]),
  fact('one ordinary identity', (model) => [adversaryOf(model).identities]),
  fact(/puzzle of \d+ zero bits/g, ({ network }) => [network.identity.c1]),
  fact(/\(level L\d\)/g, ({ network }) => [Number(network.election.level?.slice(1))]),
  ...Object.entries(SECONDS).map(([unit, length]) =>
    fact(new RegExp(`\\b(?:one|two) ${unit}s?(?= of one core)`, 'gi'), (model) => [
      (adversaryOf(model).budget.cpuSeconds ?? Number.NaN) / length,
    ]),
  ),
  fact('of one core', () => [1]),
  fact(/(?<=one core )at [\d ]+ keys\/s/g, rateOf),
  fact('about 5 000 keys/s one by one and 8 000 000 keys/s in batches', () =>
    ['top-id-naive', 'top-id-strong'].flatMap((id) => rateOf(modelOf(id))),
  ),
  fact(/E\[K\/\(n\+K\)\] = \S+ %/g, (model) => [
    model.epochs === undefined ? topOdds(model) : theory(model),
  ]),
  fact('one or two ticks', latencies),
  fact('one to five ticks', latencies),
  fact('one tick', latencies),
  fact(/in each of \w+ epochs/g, ({ epochs }) => [epochs?.count ?? Number.NaN]),
  fact(/the (?:fifth|tenth) epoch/g, ({ epochs }) => [epochs?.count ?? Number.NaN]),
];

/** The share of the judged time for which all must follow a leader, so that it lasts. */
function lastingShare(): number {
  const judgedTicks = 1000;
  const lasts = (longestAgreedTicks: number) => !lacksLeader({ longestAgreedTicks, judgedTicks });
  return Array.from({ length: judgedTicks }, (_, ticks) => ticks).findIndex(lasts) / judgedTicks;
}

function rateOf(model: ThreatModel): readonly number[] {
  return [Number(adversaryOf(model).rate)];
}

/** Bounds of the latency of a message, in ticks. */
function latencies({ network }: ThreatModel): readonly number[] {
  return [...String(network.election.latency).matchAll(/\d+/g)].map(Number);
}
