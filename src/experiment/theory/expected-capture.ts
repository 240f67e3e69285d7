/**
 * @module
 * The probability that an adversary of N attempts captures ranks: the odds of a fixed number of forged
 * identities, averaged over K ~ Bin(N, 2^-c), or over min(K, M) if it stops at M identities.
 */

import type { Theory } from './answer.ts';
import { lawText, meanOver, noClosedForm } from './answer.ts';
import { assertInteger } from './assertions.ts';
import { binomialProbability, binomialTail, SUCCESSES_MAX, sumOfRatios } from './binomial-odds.ts';
import { firstInteger } from './bisection.ts';
import type { CappedForging } from './closed-forms.ts';
import { topRanksProbability } from './closed-forms.ts';
import type { FewEvaluations, Search } from './filtered-odds.ts';
import { filteredTopProbability, SEARCHED_RANKS_MAX, searchedTop } from './filtered-odds.ts';
import { laplace } from './laplace.ts';

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

/** What one of the judged sides has. */
export interface Share {
  readonly attempts: number;
  readonly ordinary: number;
}

/** A capture by one of several sides. The attempts and the ordinary identities are those of all adversaries. */
export interface Capture extends CappedForging {
  readonly ordinary: number;
  /** One side of all adversaries, or one for each that is judged by itself. */
  readonly sides: readonly Share[];
  /** The work, if the adversaries evaluate puzzles only for the IDs of the ranks that they want. */
  readonly aimed?: AimedWork | undefined;
}

/** The work of adversaries that drop all IDs outside of one place. */
export interface AimedWork {
  /** Attempts if the place has this share of all IDs. The members of `sides` are in the order of the sides of a capture. */
  readonly at: (share: number) => { readonly all: number; readonly sides: readonly number[] };
  /** The work of each adversary. */
  readonly searches: readonly Search[];
  /** For each side of the capture, the indices of its adversaries in `searches`. */
  readonly judged: readonly (readonly number[])[];
}

/** The closed form of `searchedTop`, with its formula. `honest` is the number of honest nodes whose IDs must be exceeded. */
export function searchedTheory(
  { searches, judged }: Pick<AimedWork, 'searches' | 'judged'>,
  forging: Pick<CappedForging, 'honest' | 'difficultyBits'>,
  count: number,
): Theory {
  if (searches.length > 1 && count > SEARCHED_RANKS_MAX)
    return noClosedForm(
      `the closed form of several adversaries is for ${SEARCHED_RANKS_MAX} ranks`,
    );
  const probability = searchedTop(searches, judged, forging, count);
  const law = `q ~ Beta(1, ${forging.honest}), p = 2^-${forging.difficultyBits}`;
  const [{ few } = { few: null }] = searches;
  if (few !== null && searches.length === 1) {
    const chance = count === 1 ? 'p(1-p)^(k-1)' : `C(k-1,${count - 1})p^${count}(1-p)^(k-${count})`;
    const formula = `sum over k of ${chance}*P(Bin(m, q) >= k), m = ${keysText(few)}, ${law}`;
    return { probability, formula };
  }
  const isAll = judged.some((side) => side.length === searches.length);
  const sum = judged.length > 1 ? 'sum over the adversaries of ' : '';
  const event = isAll ? `P(K >= ${count})` : `${sum}E[prod (K_own-i)/(K-i), i < ${count}]`;
  return { probability, formula: `${event}, K the valid keys above q, ${law}` };
}

/** The formula of the number of keys that the work pays for beside k evaluations. */
function keysText({ bounds: [bound] }: FewEvaluations): string {
  const { most, key, puzzle } = bound ?? { most: 0, key: 1, puzzle: 0 };
  const left = `${most}-${puzzle === 1 ? '' : `${puzzle}*`}k`;
  return key === 1 ? left : `floor((${left})/${key})`;
}

/** P(the `count` highest ranks all belong to one side). */
export function topRanksTheory(capture: Capture, count: number): Theory {
  return ranksTheory(capture, count, { nodes: 'n', probabilityOf: expectedTopRanks });
}

/** P(the next `count` nodes after an honest victim all belong to one side). */
export function successorsTheory(capture: Capture, count: number): Theory {
  return ranksTheory(capture, count, { nodes: 'n-1', probabilityOf: expectedSuccessors });
}

/** P(more than half of all identities belong to one side). */
export function majorityTheory(capture: Capture): Theory {
  return lead(capture, 1);
}

/** P(at least half of all identities belong to one side). As a node is honest, no two sides have that. */
export function deniedTheory(capture: Capture): Theory {
  return lead(capture, 0);
}

/** P(a side has at least `margin` more identities than all others together). */
function lead(capture: Capture, margin: number): Theory {
  const probabilities = capture.sides.map((side) => leadProbability(capture, side, margin));
  if (probabilities.includes(null)) return noClosedForm('too many identities to add up');
  const probability = probabilities.reduce<number>((sum, each) => sum + (each ?? 0), 0);
  const [{ attempts, ordinary }] = [capture.sides[0] ?? capture];
  const wanted = capture.honest + capture.ordinary - 2 * ordinary + margin;
  if (attempts === capture.attempts) {
    return { probability, formula: `P(K >= ${Math.max(0, wanted)}), ${lawText(capture)}` };
  }
  const formula = `${sumText(capture)}P(own K >= ${wanted} + other K), in all ${lawText(capture)}`;
  return { probability, formula };
}

function leadProbability(capture: Capture, side: Share, margin: number): number | null {
  const wanted = capture.honest + capture.ordinary - 2 * side.ordinary + margin;
  const own = { ...capture, attempts: side.attempts };
  const rivals = capture.attempts - side.attempts;
  if (rivals === 0) return forgedProbability(own, Math.max(0, wanted));
  return meanOver({ trials: rivals, probability: 2 ** -capture.difficultyBits }, (others) =>
    forgedProbability(own, Math.max(0, wanted + others)),
  );
}

/** Which sides a formula adds up, as its beginning. */
function sumText({ sides }: Capture): string {
  return sides.length > 1 ? 'sum over the adversaries of ' : '';
}

function ranksTheory(
  capture: Capture,
  count: number,
  form: { readonly nodes: string; readonly probabilityOf: typeof expectedTopRanks },
): Theory {
  if (capture.ordinary > 0) return noClosedForm('ordinary identities have the lowest ranks');
  if (count > RANKS_MAX) return noClosedForm(`the closed form is for at most ${RANKS_MAX} ranks`);
  if (capture.aimed !== undefined) return aimedTheory(capture, capture.aimed, { count, ...form });
  const formula = `E[prod (K-i)/(${form.nodes}+K-i), i < ${count}], ${lawText(capture)}`;
  const probability = form.probabilityOf(capture, count);
  const share = capture.sides.reduce(
    (sum, side) => sum + shareOfTop(capture.attempts, side.attempts, count),
    0,
  );
  if (capture.sides.every(({ attempts }) => attempts === capture.attempts)) {
    return { probability, formula };
  }
  const product = `prod (N_own-i)/(N-i), i < ${count}`;
  return {
    probability: probability * share,
    formula: `(${sumText(capture)}${product}) * ${formula}`,
  };
}

/** P(the `count` highest forged identities belong to a side): every choice of their attempts is as likely. */
function shareOfTop(all: number, own: number, count: number): number {
  if (own < count) return 0;
  let share = 1;
  for (let taken = 0; taken < count; taken += 1) share *= (own - taken) / (all - taken);
  return share;
}

/** The closed form of `ranksTheory` if puzzles are evaluated only for the IDs of these ranks, which are a share q of all. */
function aimedTheory(
  capture: Capture,
  aimed: AimedWork,
  { count, nodes }: { readonly count: number; readonly nodes: string },
): Theory {
  const { difficultyBits } = capture;
  const honest = capture.honest - (nodes === 'n' ? 0 : 1);
  if (aimed.searches.some(({ few }) => few !== null))
    return searchedTheory(aimed, { honest, difficultyBits }, count);
  const { at } = aimed;
  const law = `q ~ Beta(1, ${honest}), p = 2^-${difficultyBits}`;
  const partAt = (share: number) => {
    const { all, sides } = at(share);
    return sides.reduce((sum, own) => sum + shareOfTop(all, own, count), 0);
  };
  const attemptsAt = (share: number) => at(share).all;
  const probability = filteredTopProbability({ honest, difficultyBits, attemptsAt, partAt }, count);
  const [least, most] = [attemptsAt(1), attemptsAt(Number.MIN_VALUE)];
  const product = partAt(1) === 1 ? '' : `prod (N_own-i)/(N-i), i < ${count} * `;
  const formula = `E[${sumText(capture)}${product}P(Bin(N, p*q) >= ${count})], ${law}, N from ${least} (q = 1) to ${most} (q = 0): a puzzle is evaluated only for the IDs of these ranks`;
  return { probability, formula };
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
