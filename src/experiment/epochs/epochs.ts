/**
 * @module
 * This folder simulates epochs over drawn identities: a window of registration, the beacon, the ranks of all
 * claims that count, the leader, the expiry of claims, and the difficulty of the next epoch. No closed form is
 * used. IDs and salted ranks are uniform draws, as those of SHA-256. Each part of each epoch draws from a
 * stream of its own, so that a change of one member changes no other draw.
 */

import { PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import type { Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';
import type { Epoch, Member, Owner } from '../properties/property.ts';
import { isForged } from '../properties/property.ts';
import { assertInteger } from '../theory/assertions.ts';
import type { Conduct, Salt, Work } from '../theory/epoch-conduct.ts';
import { isPuzzleSalted, isRankSalted } from '../theory/epoch-conduct.ts';
import { REVEAL_CHOICES_MAX } from '../theory/epoch-odds.ts';
import type { Forger } from './forger.ts';
import { createGrinder, drawBits } from './forger.ts';
import { createRetester } from './retester.ts';

/**
 * Difficulty that follows the joins: it increases by the logarithm of the ratio to the target, within a bounded
 * step. The bound slows down an adversary that joins in masses to raise the price, or stays away to lower it.
 */
export interface Retargeting {
  /** Target number of joins in an epoch, above 0. */
  readonly targetJoins: number;
  /** Most bits of change from one epoch to the next, an integer of at least 1. */
  readonly stepBitsMax: number;
}

export interface EpochPlan {
  /** At least 1. */
  readonly epochs: number;
  readonly salt: Salt;
  readonly honest: {
    /** n. Each has one claim, or tries to register one in every window. */
    readonly nodes: number;
    /** Null if unlimited. */
    readonly testsPerWindow: number | null;
  };
  readonly adversary: {
    /** Keys made before the first window, an integer of at least 0. */
    readonly stockKeys: number;
    /** Keys that can be made or tested in one window. Infinity if hashes alone bound them. */
    readonly testsPerWindow: number;
    /** t. It sees 2^t beacons and chooses the first that gives it the highest ranks that it wants. */
    readonly revealChoices: number;
  };
  readonly conduct: Conduct;
  /** Difficulty of the first epoch. */
  readonly difficultyBits: number;
  /** Null if the difficulty is constant. */
  readonly retargeting: Retargeting | null;
  /** Epochs in which a claim counts, including that of its registration. Null for all. */
  readonly lifetimeEpochs: number | null;
}

export interface EpochOutcome extends Epoch {
  readonly epoch: number;
  readonly difficultyBits: number;
  /** New registrations, without claims that are renewed with their old solution. */
  readonly joins: { readonly [owner in Exclude<Owner, 'rival'>]: number };
  /** The work of the window, of all honest nodes together and of the adversary. */
  readonly work: { readonly [owner in Exclude<Owner, 'rival'>]: Work };
}

interface Claim extends Member {
  readonly depth: number;
  /** Bits of its ID, which decide whether it can be renewed if the puzzle is not salted. */
  readonly bits: number;
  readonly registered: number;
}

/** The claims of one owner in an epoch, the number of new ones, and the work for them. */
interface Holding {
  readonly claims: readonly Claim[];
  readonly joins: number;
  readonly work: Work;
}

const NOTHING: Holding = { claims: [], joins: 0, work: { attempts: 0, hashes: 0 } };

/**
 * The epochs of a plan under a seed. Throws LabError `job.size` if the adversary would have more
 * keys than fit into memory.
 */
export function simulateEpochs(plan: EpochPlan, seed: Seed): readonly EpochOutcome[] {
  assertPlan(plan);
  const salted = isPuzzleSalted(plan.salt);
  const { stockKeys, testsPerWindow } = plan.adversary;
  const spending = { ...plan, stockKeys, windowTests: testsPerWindow };
  const forger = (salted ? createRetester : createGrinder)(spending, seed);
  const outcomes: EpochOutcome[] = [];
  let honest = NOTHING;
  let forged = NOTHING;
  let difficultyBits = plan.difficultyBits;
  for (let epoch = 0; epoch < plan.epochs; epoch += 1) {
    const now = { epoch, difficultyBits };
    honest = registerHonest(plan, honest.claims, now, seed);
    const honestTop = honest.claims.reduce((top, { depth }) => Math.min(top, depth), 1);
    forged = registerForged(plan, forged.claims, { ...now, honestTop }, forger);
    const joins = { honest: honest.joins, adversary: forged.joins };
    const work = { honest: honest.work, adversary: forged.work };
    const ranking = rank(plan, [...honest.claims, ...forged.claims], epoch, seed);
    outcomes.push({ ...now, joins, work, ranking, leader: ranking[0]?.owner ?? null });
    if (plan.retargeting !== null) {
      const observed = { bits: difficultyBits, joins: joins.honest + joins.adversary };
      difficultyBits = retargetedBits(observed, plan.retargeting);
    }
  }
  return outcomes;
}

type Now = Pick<EpochOutcome, 'epoch' | 'difficultyBits'>;

/**
 * A node renews an expired claim if its ID still satisfies the puzzle. A node without a claim makes new keys
 * until one is valid, if its tests are enough. Keys that failed are not kept.
 */
function registerHonest(
  plan: EpochPlan,
  before: readonly Claim[],
  { epoch, difficultyBits }: Now,
  seed: Seed,
): Holding {
  const random = createRandom(seed, 'honest', epoch);
  const { nodes, testsPerWindow } = plan.honest;
  const { perId, perPuzzle } = plan.conduct.hashes;
  const most = testsPerWindow ?? Number.POSITIVE_INFINITY;
  const old = new Map(before.map((claim) => [claim.number, claim]));
  const claims: Claim[] = [];
  let [joins, attempts] = [0, 0];
  for (let number = 0; number < nodes; number += 1) {
    const claim = old.get(number);
    // Drawn for all nodes, so that the draws of one node do not depend on the claims of others.
    const [luck, depth] = [random.unit(), random.unit()];
    const bits = drawBits(random, { least: difficultyBits, below: Number.POSITIVE_INFINITY });
    if (claim !== undefined && counts(plan, claim, epoch)) {
      claims.push(claim);
    } else if (claim !== undefined && isRenewable(plan, claim, difficultyBits)) {
      claims.push({ ...claim, registered: epoch });
    } else {
      const needed = attemptsOf(luck, difficultyBits);
      attempts += Math.min(needed, most);
      if (needed > most) continue;
      claims.push({ owner: 'honest', number, depth, bits, registered: epoch });
      joins += 1;
    }
  }
  return { claims, joins, work: { attempts, hashes: attempts * (perId + perPuzzle) } };
}

/** The attempts of a node until one is valid: geometric, by inversion of a uniform draw. */
function attemptsOf(luck: number, difficultyBits: number): number {
  return Math.max(1, Math.ceil(Math.log1p(-luck) / Math.log1p(-(2 ** -difficultyBits))));
}

/** The adversary's claims that count, and all others that it can register. */
function registerForged(
  plan: EpochPlan,
  before: readonly Claim[],
  { epoch, difficultyBits, honestTop }: Now & { readonly honestTop: number },
  forger: Forger,
): Holding {
  const kept = before.filter((claim) => counts(plan, claim, epoch));
  const registered = new Set(kept.map(({ number }) => number));
  const window = { epoch, difficultyBits, registered, honestTop };
  const { candidates: found, work } = forger(window);
  const claims = found.map(({ key, depth }): Claim => {
    // The forger knows the bits of its keys, and returns those that can be renewed again.
    return { owner: 'adversary', number: key, depth, bits: difficultyBits, registered: epoch };
  });
  return { claims: [...kept, ...claims], joins: found.filter(({ isNew }) => isNew).length, work };
}

function counts({ lifetimeEpochs }: EpochPlan, { registered }: Claim, epoch: number): boolean {
  return lifetimeEpochs === null || epoch < registered + lifetimeEpochs;
}

function isRenewable({ salt }: EpochPlan, { bits }: Claim, difficultyBits: number): boolean {
  return !isPuzzleSalted(salt) && bits >= difficultyBits;
}

/**
 * The claims from the highest rank down: by their IDs, or by draws under the beacon. An adversary that reveals
 * last chooses among 2^t beacons. If none gives it the highest ranks that it wants, the last one is used.
 */
function rank(
  plan: EpochPlan,
  claims: readonly Claim[],
  epoch: number,
  seed: Seed,
): readonly Member[] {
  if (!isRankSalted(plan.salt)) return fromTop(claims);
  const beacons = 2 ** plan.adversary.revealChoices;
  const { wants, count } = plan.conduct;
  const wanted = wants === 'top' ? count : 1;
  for (let beacon = 0; ; beacon += 1) {
    const random = createRandom(seed, 'beacon', epoch, beacon);
    const ranking = fromTop(claims.map((claim) => ({ ...claim, depth: random.unit() })));
    const top = ranking.slice(0, wanted).filter(isForged);
    if (beacon === beacons - 1 || top.length === wanted) return ranking;
  }
}

function fromTop(claims: readonly Claim[]): readonly Member[] {
  return claims
    .toSorted((left, right) => left.depth - right.depth)
    .map(({ owner, number }) => ({ owner, number }));
}

/** The bits of the next epoch, an integer in 0..256, after an epoch of `bits` with this number of joins. */
export function retargetedBits(
  { bits, joins }: { readonly bits: number; readonly joins: number },
  { targetJoins, stepBitsMax }: Retargeting,
): number {
  if (!(targetJoins > 0))
    throw new RangeError(`"targetJoins" expected above 0, got ${targetJoins}`);
  assertInteger('stepBitsMax', stepBitsMax, { least: 1 });
  const wanted = Math.round(Math.log2(joins / targetJoins));
  const step = Math.min(stepBitsMax, Math.max(-stepBitsMax, wanted));
  return Math.min(PUZZLE_BITS_MAX, Math.max(0, bits + step));
}

function assertPlan(plan: EpochPlan): void {
  const { epochs, honest, adversary, difficultyBits, lifetimeEpochs } = plan;
  assertInteger('epochs', epochs, { least: 1 });
  assertInteger('difficultyBits', difficultyBits, { least: 0, most: PUZZLE_BITS_MAX });
  assertInteger('nodes', honest.nodes, { least: 0 });
  if (honest.testsPerWindow !== null) {
    assertInteger('testsPerWindow', honest.testsPerWindow, { least: 0 });
  }
  assertInteger('stockKeys', adversary.stockKeys, { least: 0 });
  if (adversary.testsPerWindow !== Number.POSITIVE_INFINITY) {
    assertInteger('testsPerWindow', adversary.testsPerWindow, { least: 0 });
  }
  const choices = { least: 0, most: REVEAL_CHOICES_MAX };
  assertInteger('revealChoices', adversary.revealChoices, choices);
  if (lifetimeEpochs !== null) assertInteger('lifetimeEpochs', lifetimeEpochs, { least: 1 });
}
