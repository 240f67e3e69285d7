/**
 * @module
 * The probability that an adversary of N attempts captures ranks: the odds of a fixed number of forged
 * identities, averaged over K ~ Bin(N, 2^-c), or over min(K, M) if it stops at M identities.
 */

import type { Theory } from './answer.ts';
import { lawText, noClosedForm } from './answer.ts';
import { assertInteger } from './assertions.ts';
import { binomialProbability, binomialTail, SUCCESSES_MAX, sumOfRatios } from './binomial-odds.ts';
import { firstInteger } from './bisection.ts';
import type { CappedForging } from './closed-forms.ts';
import { laplace, topRanksProbability } from './closed-forms.ts';

/** Limit of the ranks of one capture. More of them make the sums in the integral long. */
export const RANKS_MAX = 1024;

/**
 * P(the `ranks` highest IDs are all forged) = E[Π (K−i)/(n+K−i)], i < ranks, to about 1e-12. With
 * the highest honest ID at t that is n∫₀¹ t^(n−1) P(Bin(N, p(1−t)) ≥ ranks) dt; for one place it is
 * `topProbability`. With `identitiesMax` it is the sum over K itself, from its largest term outwards.
 */
export function expectedTopRanks(forging: CappedForging, ranks: number): number {
  const { honest, attempts, identitiesMax = attempts } = forging;
  assertInteger('honest', honest, { least: 0 });
  assertInteger('ranks', ranks, { least: 0, most: RANKS_MAX });
  if (ranks === 0) return 1;
  if (ranks > Math.min(attempts, identitiesMax)) return 0;
  const probability = 2 ** -forging.difficultyBits;
  if (honest === 0) return binomialTail({ trials: attempts, probability }, ranks);
  if (identitiesMax < attempts) return cappedTopRanks(forging, identitiesMax, ranks);
  return laplace((u) => {
    const above = -probability * Math.expm1(-u / honest);
    return binomialTail({ trials: attempts, probability: above }, ranks);
  }, ranks);
}

/**
 * P(the next `successors` nodes after an honest victim on a ring in the order of IDs are all forged); n
 * counts the victim.
 */
export function expectedSuccessors(forging: CappedForging, successors: number): number {
  assertInteger('honest', forging.honest, { least: 1 });
  return expectedTopRanks({ ...forging, honest: forging.honest - 1 }, successors);
}

/** P(K ≥ `count`): the probability of at least `count` valid forged identities. */
export function forgedProbability(forging: CappedForging, count: number): number {
  const { attempts, difficultyBits, identitiesMax = attempts } = forging;
  if (count > identitiesMax) return 0;
  return binomialTail({ trials: attempts, probability: 2 ** -difficultyBits }, count);
}

/** A capture by an adversary that also has ordinary identities. */
export interface Capture extends CappedForging {
  readonly ordinary: number;
}

/** P(the `count` highest ranks are all forged). */
export function topRanksTheory(capture: Capture, count: number): Theory {
  return ranksTheory(capture, count, { nodes: 'n', probabilityOf: expectedTopRanks });
}

/** P(the next `count` nodes after an honest victim are all forged). */
export function successorsTheory(capture: Capture, count: number): Theory {
  return ranksTheory(capture, count, { nodes: 'n-1', probabilityOf: expectedSuccessors });
}

/** P(more than half of all identities belong to the adversary). */
export function majorityTheory(capture: Capture): Theory {
  const wanted = Math.max(0, capture.honest + 1 - capture.ordinary);
  const formula = `P(K >= ${wanted}), ${lawText(capture)}`;
  return { probability: forgedProbability(capture, wanted), formula };
}

/** P(at least half of all identities belong to the adversary). */
export function deniedTheory(capture: Capture): Theory {
  // One more ordinary identity makes a half a majority.
  return majorityTheory({ ...capture, ordinary: capture.ordinary + 1 });
}

function ranksTheory(
  capture: Capture,
  count: number,
  form: { readonly nodes: string; readonly probabilityOf: typeof expectedTopRanks },
): Theory {
  if (capture.ordinary > 0) return noClosedForm('ordinary identities have the lowest ranks');
  if (count > RANKS_MAX) return noClosedForm(`the closed form is for at most ${RANKS_MAX} ranks`);
  const formula = `E[prod (K-i)/(${form.nodes}+K-i), i < ${count}], ${lawText(capture)}`;
  return { probability: form.probabilityOf(capture, count), formula };
}

/** Σ P(K = k) f(k) for k < M, plus P(K ≥ M) f(M). The terms are log-concave, as f and the law are. */
function cappedTopRanks(forging: CappedForging, cap: number, ranks: number): number {
  const { honest, attempts, difficultyBits } = forging;
  assertInteger('identitiesMax', cap, { least: 0, most: SUCCESSES_MAX });
  const law = { trials: attempts, probability: 2 ** -difficultyBits };
  const atCap = binomialTail(law, cap) * topRanksProbability({ honest, forged: cap }, ranks);
  if (difficultyBits === 0 || cap === ranks) return atCap;
  const odds = law.probability / (1 - law.probability);
  const ratio = (forged: number) =>
    (((attempts - forged) / (forged + 1 - ranks)) * odds * (honest + forged + 1 - ranks)) /
    (honest + forged + 1);
  const mode = firstInteger((index) => ratio(index) < 1, { from: ranks, to: cap - 1 });
  const above = sumOfRatios(mode, cap - 1, ratio);
  const below = sumOfRatios(0, mode - ranks, (index) => 1 / ratio(mode - 1 - index));
  const most =
    binomialProbability(law, mode) * topRanksProbability({ honest, forged: mode }, ranks);
  return atCap + most * (above + below - 1);
}
