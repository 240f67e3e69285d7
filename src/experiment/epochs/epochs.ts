/**
 * @module
 * Epochs, simulated over drawn identities: a window of registration, the beacon, the ranking of all
 * claims that count, the election of the top, the expiry of claims, and the difficulty of the next
 * epoch. Nothing here knows a closed form (`epoch-odds.ts`); IDs and salted ranks are uniform draws, as
 * SHA-256 is taken to give. Each part of each epoch draws from a stream of its own, so that two plans
 * under one seed differ by what they say and by no other luck.
 */

import { PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import { foundProbability } from '../../mining/odds.ts';
import type { Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';
import type { Epoch, Member, Owner } from '../properties/property.ts';
import { assertInteger } from '../theory/assertions.ts';
import type { Salt } from '../theory/epoch-odds.ts';
import { isPuzzleSalted, isRankSalted, REVEAL_CHOICES_MAX } from '../theory/epoch-odds.ts';
import type { Forger, Preparation } from './forger.ts';
import { createGrinder, createRetester, drawBits } from './forger.ts';
import type { Retargeting } from './retargeting.ts';
import { retargetedBits } from './retargeting.ts';

export interface EpochPlan {
  /** At least 1. */
  readonly epochs: number;
  readonly salt: Salt;
  readonly honest: {
    /** n: each holds one claim, or tries to get one in every window. */
    readonly nodes: number;
    /** Null for as many as it takes. */
    readonly testsPerWindow: number | null;
  };
  readonly adversary: Preparation & {
    /** t: it sees 2^t beacons and takes the first that puts it on top. */
    readonly revealChoices: number;
  };
  /** Of the first epoch. */
  readonly difficultyBits: number;
  /** Null where the difficulty stays. */
  readonly retargeting: Retargeting | null;
  /** Epochs in which a claim counts, that of its registration included; null for all. */
  readonly lifetimeEpochs: number | null;
}

export interface EpochOutcome extends Epoch {
  readonly epoch: number;
  readonly difficultyBits: number;
  /** New registrations. A claim that is renewed with its old solution does not count. */
  readonly joins: { readonly [owner in Owner]: number };
}

interface Claim extends Member {
  readonly depth: number;
  /** What its ID met; it decides on renewal where the puzzle is not salted. */
  readonly bits: number;
  readonly registered: number;
}

/** What one owner has in an epoch, and how much of it is new. */
interface Holding {
  readonly claims: readonly Claim[];
  readonly joins: number;
}

/**
 * The epochs of a plan under a seed. Throws LabError `job.size` where the adversary would have more
 * keys than can be held.
 */
export function simulateEpochs(plan: EpochPlan, seed: Seed): readonly EpochOutcome[] {
  assertPlan(plan);
  const salted = isPuzzleSalted(plan.salt);
  const forger = (salted ? createRetester : createGrinder)(plan.adversary, seed);
  const outcomes: EpochOutcome[] = [];
  let honest: Holding = { claims: [], joins: 0 };
  let forged: Holding = { claims: [], joins: 0 };
  let difficultyBits = plan.difficultyBits;
  for (let epoch = 0; epoch < plan.epochs; epoch += 1) {
    const now = { epoch, difficultyBits };
    honest = registerHonest(plan, honest.claims, now, seed);
    forged = registerForged(plan, forged.claims, now, forger);
    const joins = { honest: honest.joins, adversary: forged.joins };
    const ranking = rank(plan, [...honest.claims, ...forged.claims], epoch, seed);
    outcomes.push({ ...now, joins, ranking, leader: ranking[0]?.owner ?? null });
    if (plan.retargeting !== null) {
      const observed = { bits: difficultyBits, joins: joins.honest + joins.adversary };
      difficultyBits = retargetedBits(observed, plan.retargeting);
    }
  }
  return outcomes;
}

interface Now {
  readonly epoch: number;
  readonly difficultyBits: number;
}

/**
 * Whose claim has expired renews it where its ID still meets the puzzle; everybody else without one
 * makes new keys until one is good, if its tests suffice. Keys that failed are not kept.
 */
function registerHonest(
  plan: EpochPlan,
  before: readonly Claim[],
  { epoch, difficultyBits }: Now,
  seed: Seed,
): Holding {
  const random = createRandom(seed, 'honest', epoch);
  const { nodes, testsPerWindow } = plan.honest;
  const chance =
    testsPerWindow === null ? 1 : foundProbability(2 ** -difficultyBits, testsPerWindow);
  const old = new Map(before.map((claim) => [claim.number, claim]));
  const claims: Claim[] = [];
  let joins = 0;
  for (let number = 0; number < nodes; number += 1) {
    const claim = old.get(number);
    // Drawn for all, so that one node's luck does not depend on who else needs a claim.
    const [luck, depth] = [random.unit(), random.unit()];
    const bits = drawBits(random, { least: difficultyBits, below: Number.POSITIVE_INFINITY });
    if (claim !== undefined && counts(plan, claim, epoch)) {
      claims.push(claim);
    } else if (claim !== undefined && isRenewable(plan, claim, difficultyBits)) {
      claims.push({ ...claim, registered: epoch });
    } else if (luck < chance) {
      claims.push({ owner: 'honest', number, depth, bits, registered: epoch });
      joins += 1;
    }
  }
  return { claims, joins };
}

/** The adversary's claims that count, and whatever else it can register. */
function registerForged(
  plan: EpochPlan,
  before: readonly Claim[],
  { epoch, difficultyBits }: Now,
  forger: Forger,
): Holding {
  const kept = before.filter((claim) => counts(plan, claim, epoch));
  const registered = new Set(kept.map(({ number }) => number));
  const found = forger({ epoch, difficultyBits, registered });
  const claims = found.map(({ key, depth }): Claim => {
    // The forger knows what its keys meet, and offers again what can be renewed.
    return { owner: 'adversary', number: key, depth, bits: difficultyBits, registered: epoch };
  });
  return { claims: [...kept, ...claims], joins: found.filter(({ isNew }) => isNew).length };
}

function counts({ lifetimeEpochs }: EpochPlan, { registered }: Claim, epoch: number): boolean {
  return lifetimeEpochs === null || epoch < registered + lifetimeEpochs;
}

function isRenewable({ salt }: EpochPlan, { bits }: Claim, difficultyBits: number): boolean {
  return !isPuzzleSalted(salt) && bits >= difficultyBits;
}

/**
 * The claims from the top down: by their IDs, or by draws under the beacon, of which the adversary
 * that reveals last sees 2^t. Where none suits it the last one stands.
 */
function rank(
  plan: EpochPlan,
  claims: readonly Claim[],
  epoch: number,
  seed: Seed,
): readonly Member[] {
  if (!isRankSalted(plan.salt)) return fromTop(claims);
  const beacons = 2 ** plan.adversary.revealChoices;
  for (let beacon = 0; ; beacon += 1) {
    const random = createRandom(seed, 'beacon', epoch, beacon);
    const ranking = fromTop(claims.map((claim) => ({ ...claim, depth: random.unit() })));
    if (beacon === beacons - 1 || ranking[0]?.owner === 'adversary') return ranking;
  }
}

function fromTop(claims: readonly Claim[]): readonly Member[] {
  return claims
    .toSorted((left, right) => left.depth - right.depth)
    .map(({ owner, number }) => ({ owner, number }));
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
  assertInteger('testsPerWindow', adversary.testsPerWindow, { least: 0 });
  const choices = { least: 0, most: REVEAL_CHOICES_MAX };
  assertInteger('revealChoices', adversary.revealChoices, choices);
  if (lifetimeEpochs !== null) assertInteger('lifetimeEpochs', lifetimeEpochs, { least: 1 });
}
