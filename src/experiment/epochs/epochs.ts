/**
 * @module
 * This folder simulates epochs: honest nodes that leave and join, a window of registration, the beacon, the ranks of
 * all claims that count, the leader, the expiry of claims, and the difficulty of the next epoch. No closed form is
 * used. Identities are drawn or mined. Each part of each epoch draws from a stream of its own, so that a change of
 * one member changes no other draw.
 */

import { PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import type { Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';
import type { Epoch, Member, Owner } from '../properties/property.ts';
import { isForged } from '../properties/property.ts';
import { holdsSuccessors, holdsTop, victimIndex } from '../properties/registry.ts';
import { assertInteger } from '../theory/assertions.ts';
import type { Conduct, Salt, Spent, Work } from '../theory/epoch-conduct.ts';
import {
  addWork,
  affordable,
  isPuzzleSalted,
  isRankSalted,
  NO_WORK,
  windowBudget,
} from '../theory/epoch-conduct.ts';
import { REVEAL_CHOICES_MAX } from '../theory/epoch-odds.ts';
import type { Forger, ForgerPlan, Identities, Identity, Region } from './forger.ts';
import { createGrinder, createHolder, drawBits, seenFrom } from './forger.ts';
import type { Quota } from './quota.ts';
import type { Retargeting } from './retargeting.ts';
import { retargetedBits } from './retargeting.ts';
import { createRetester } from './retester.ts';

export interface EpochPlan {
  /** At least 1. */
  readonly epochs: number;
  readonly salt: Salt;
  readonly honest: {
    /** n of the first epoch. Each has one claim, or tries to register one in every window. */
    readonly nodes: number;
    /** Probability that a node has left before the next epoch. A newcomer without an identity takes its place. */
    readonly churn: number;
    /** Additional nodes of each epoch after the first. */
    readonly newcomers: number;
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
    /** How many of its valid keys it registers. It registers all if there is no quota. */
    readonly quota?: Quota;
    /** Whether the quota decides before the search, which ends with as many keys and saves the rest of the budget. */
    readonly isSaving?: boolean;
    /** Whether it registers no key below an honest ID, which would only raise its share. */
    readonly isAboveOnly?: boolean;
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
  readonly work: { readonly [owner in Exclude<Owner, 'rival'>]: Spent };
}

interface Claim extends Member, Identity {
  readonly registered: number;
}

/** The claims of one owner in an epoch, the number of new ones, and the work for them. */
interface Holding {
  readonly claims: readonly Claim[];
  readonly joins: number;
  readonly work: Spent;
}

const NOTHING: Holding = { claims: [], joins: 0, work: NO_WORK };

/**
 * The epochs of a plan under a seed, with identities that are drawn by default. Throws LabError `job.size` if the
 * adversary would have more keys than fit into memory.
 */
export function simulateEpochs(
  plan: EpochPlan,
  seed: Seed,
  identitiesOf: (plan: EpochPlan, seed: Seed) => Identities = drawnIdentities,
): readonly EpochOutcome[] {
  assertPlan(plan);
  const identities = identitiesOf(plan, seed);
  const outcomes: EpochOutcome[] = [];
  let honest = NOTHING;
  let forged = NOTHING;
  let ahead = 0;
  const presented = new Set<number>();
  let spent = NO_WORK;
  let difficultyBits = plan.difficultyBits;
  for (let epoch = 0; epoch < plan.epochs; epoch += 1) {
    const now = { epoch, difficultyBits };
    const staying = honest.claims.filter(stays(plan, epoch, seed));
    honest = registerHonest(plan, staying, now, identities);
    const region = regionOf(plan, honest.claims, seed);
    const budget = budgetOf(plan, epoch, spent);
    const seen = { ...now, budget, region, ahead, honest };
    forged = registerForged(plan, forged.claims, seen, { forger: identities.forger, presented });
    spent = addWork(spent, forged.work);
    const joins = { honest: honest.joins, adversary: forged.joins };
    const work = { honest: honest.work, adversary: forged.work };
    const ranking = rank(plan, [...honest.claims, ...forged.claims], { epoch, seed }, identities);
    const leader = ranking[0]?.owner ?? null;
    outcomes.push({ ...now, joins, work, ranking, leader });
    ahead += Number(leader === 'adversary') - forged.claims.length / Math.max(1, ranking.length);
    if (plan.retargeting !== null) {
      const observed = { bits: difficultyBits, joins: joins.honest + joins.adversary };
      difficultyBits = retargetedBits(observed, plan.retargeting);
    }
  }
  return outcomes;
}

/** Identities that are drawn: IDs and salted ranks are uniform draws, as those of SHA-256. `mined.ts` makes them. */
export function drawnIdentities(plan: EpochPlan, seed: Seed): Identities {
  const { perId, perPuzzle } = plan.conduct.hashes;
  const most = plan.honest.testsPerWindow ?? Number.POSITIVE_INFINITY;
  return {
    applications({ epoch, difficultyBits }) {
      const random = createRandom(seed, 'honest', epoch);
      return () => {
        // Drawn for all nodes, so that the draws of one node do not depend on the claims of others.
        const [luck, depth] = [random.unit(), random.unit()];
        const bits = drawBits(random, { least: difficultyBits, below: Number.POSITIVE_INFINITY });
        return () => {
          const needed = attemptsOf(luck, difficultyBits);
          const attempts = Math.min(needed, most);
          const hashes = attempts * (perId + perPuzzle);
          const spent = { attempts, hashes, keys: attempts, cpuSeconds: 0 };
          return { spent, identity: needed > most ? null : { depth, bits } };
        };
      };
    },
    forger: forgerOf(plan)(forgerPlanOf(plan), seed),
    underBeacon(epoch, beacon) {
      const random = createRandom(seed, 'beacon', epoch, beacon);
      return () => random.unit();
    },
  };
}

function forgerOf({ salt, conduct }: EpochPlan): typeof createGrinder {
  if (isPuzzleSalted(salt)) return createRetester;
  return conduct.plan === 'inflating' ? createHolder : createGrinder;
}

/** The part of a plan that the adversary follows. */
export function forgerPlanOf(plan: EpochPlan): ForgerPlan {
  const { churn, newcomers, testsPerWindow: testsOfHonest } = plan.honest;
  const { stockKeys, testsPerWindow } = plan.adversary;
  // A victim can be another one when more honest nodes have claims.
  const isVictimOpen = plan.conduct.wants === 'successors' && testsOfHonest !== null;
  const isChanging = churn > 0 || newcomers > 0 || isVictimOpen;
  return { ...plan, stockKeys, windowTests: testsPerWindow, isChanging };
}

/** The attempts of a node until one is valid: geometric, by inversion of a uniform draw. */
function attemptsOf(luck: number, difficultyBits: number): number {
  return Math.max(1, Math.ceil(Math.log1p(-luck) / Math.log1p(-(2 ** -difficultyBits))));
}

/** The number of the victim: one of the nodes of the first epoch, or the next one that has a claim. */
export function victimOf(
  { honest: { nodes } }: EpochPlan,
  members: readonly Member[],
  seed: Seed,
): number {
  const drawn = victimIndex(nodes, seed);
  const honest = members.filter((member) => !isForged(member)).map(({ number }) => number);
  const numbers = honest.sort((one, other) => one - other);
  return numbers.find((number) => number >= drawn) ?? numbers[0] ?? 0;
}

/** The IDs that the adversary wants in a window, if it knows the honest ones. */
function regionOf(plan: EpochPlan, honest: readonly Claim[], seed: Seed): Region {
  const depths = honest.map(({ depth }) => depth).sort((one, other) => one - other);
  if (plan.conduct.wants !== 'successors') return { share: depths[0] ?? 1, origin: null };
  const number = victimOf(plan, honest, seed);
  const origin = honest.find((claim) => claim.number === number)?.depth ?? 0;
  const next = depths.at(depths.indexOf(origin) - 1) ?? origin;
  // The only honest node is its own successor.
  return { share: next === origin ? 1 : seenFrom({ share: 1, origin }, next), origin };
}

type Now = Pick<EpochOutcome, 'epoch' | 'difficultyBits'>;

/** Honest nodes of an epoch, from 0. */
export function honestNodes({ honest }: EpochPlan, epoch: number): number {
  return honest.nodes + epoch * honest.newcomers;
}

/** Whether a node is still there in an epoch. Drawn for all nodes, whether they have a claim or not. */
function stays(plan: EpochPlan, epoch: number, seed: Seed): (claim: Claim) => boolean {
  const { churn } = plan.honest;
  if (churn === 0 || epoch === 0) return () => true;
  const random = createRandom(seed, 'churn', epoch);
  const nodes = { length: honestNodes(plan, epoch - 1) };
  const left = Array.from(nodes, () => random.unit() < churn);
  return ({ number }) => left[number] !== true;
}

/**
 * A node renews an expired claim if its ID still satisfies the puzzle. A node without a claim makes new keys
 * until one is valid, if its tests are enough. Keys that failed are not kept.
 */
function registerHonest(
  plan: EpochPlan,
  before: readonly Claim[],
  now: Now,
  identities: Identities,
): Holding {
  const { epoch, difficultyBits } = now;
  const nextNode = identities.applications(now);
  const old = new Map(before.map((claim) => [claim.number, claim]));
  const claims: Claim[] = [];
  let [joins, work] = [0, NO_WORK];
  for (let number = 0; number < honestNodes(plan, epoch); number += 1) {
    const claim = old.get(number);
    const apply = nextNode(number);
    if (claim !== undefined && counts(plan, claim, epoch)) {
      claims.push(claim);
    } else if (claim !== undefined && isRenewable(plan, claim, difficultyBits)) {
      claims.push({ ...claim, registered: epoch });
    } else {
      const { identity, spent } = apply();
      work = addWork(work, spent);
      if (identity === null) continue;
      claims.push({ owner: 'honest', number, ...identity, registered: epoch });
      joins += 1;
    }
  }
  return { claims, joins, work };
}

/** The budget of a window, with all that was saved before if the adversary saves. */
function budgetOf(plan: EpochPlan, epoch: number, spent: Spent): Work {
  const { isSaving = false, testsPerWindow } = plan.adversary;
  if (!isSaving) return windowBudget(forgerPlanOf(plan), epoch);
  const { perWindow, perKey, perId } = plan.conduct.hashes;
  const used = spent.hashes + spent.keys * (perKey - perId);
  return {
    attempts: (epoch + 1) * testsPerWindow - spent.attempts,
    hashes: (epoch + 1) * perWindow - used,
  };
}

/** What an adversary knows when it registers. */
interface Seen extends Now {
  readonly budget: Work;
  readonly region: Region;
  /** Epochs that it led, without the sum of its shares of the identities. */
  readonly ahead: number;
  readonly honest: Holding;
}

/**
 * The adversary's claims that count, and all others that it can register, or those that its quota allows. `presented`
 * contains the keys that it has registered so far.
 */
function registerForged(
  plan: EpochPlan,
  before: readonly Claim[],
  { epoch, difficultyBits, budget, region, ahead, honest }: Seen,
  { forger, presented }: { readonly forger: Forger; readonly presented: Set<number> },
): Holding {
  const { quota, isSaving = false } = plan.adversary;
  const { perKey, perPuzzle } = plan.conduct.hashes;
  const kept = before.filter((claim) => counts(plan, claim, epoch));
  const registered = new Set(kept.map(({ number }) => number));
  const quotaOf = (keys: number) =>
    quota?.({
      ...{ epoch, bits: difficultyBits, ahead, keys },
      registered: kept.map((claim) => claim.registered),
      tests: isSaving ? affordable(budget, perKey + perPuzzle) : 0,
      ...{ honest: honest.claims.length, joins: honest.joins },
    }) ?? keys;
  const wanted = isSaving ? quotaOf(Number.POSITIVE_INFINITY) : null;
  let chosen = wanted;
  const choose = (keys: number) => {
    chosen = quotaOf(keys);
    return chosen;
  };
  const { candidates: found, work } = forger({
    ...{ epoch, difficultyBits, budget, registered, region, choose },
    ...(wanted === null ? {} : { wanted }),
  });
  const good = found.filter(({ depth }) => isWorthwhile(plan, { epoch, depth, region }));
  // A key joins once. Those with fewer bits are useless first.
  const candidates =
    plan.conduct.plan === 'inflating'
      ? good
          .filter(({ key }) => !presented.has(key))
          .sort((one, other) => (one.bits ?? 0) - (other.bits ?? 0))
      : good;
  const most = chosen ?? quotaOf(candidates.length);
  const claims = candidates.slice(0, most).map(({ key, ...identity }): Claim => {
    // The forger knows the bits of its keys, and returns those that can be renewed again.
    const bits = difficultyBits;
    return { owner: 'adversary', number: key, ...identity, bits, registered: epoch };
  });
  const joins = claims.filter(({ number }) => !presented.has(number)).length;
  for (const { number } of claims) presented.add(number);
  return { claims: [...kept, ...claims], joins, work };
}

/**
 * Whether a claim of a key at this depth helps. If only the last epoch matters and joins raise the difficulty, a claim that
 * has expired by then does harm. Without a salt it can help, because its key joins only once.
 */
function isWorthwhile(
  { adversary, conduct, retargeting, lifetimeEpochs, epochs, salt }: EpochPlan,
  { epoch, depth, region }: { readonly depth: number } & Pick<Seen, 'epoch' | 'region'>,
): boolean {
  if (adversary.isAboveOnly === true && depth >= region.share) return false;
  if (retargeting === null || !isPuzzleSalted(salt)) return true;
  if (conduct.when !== 'last' || conduct.wants === 'many') return true;
  return epoch + (lifetimeEpochs ?? epochs) >= epochs;
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
  { epoch, seed }: { readonly epoch: number; readonly seed: Seed },
  identities: Identities,
): readonly Member[] {
  if (!isRankSalted(plan.salt)) return fromTop(claims);
  const last = 2 ** plan.adversary.revealChoices - 1;
  const { wants, count } = plan.conduct;
  const wanted = wants === 'many' ? 1 : count;
  const isReached = (members: readonly Member[]) =>
    wants === 'successors'
      ? holdsSuccessors({ members, count, victim: () => victimOf(plan, members, seed) })
      : holdsTop({ members, count: wanted });
  const isPossible = claims.filter(isForged).length >= wanted;
  for (let beacon = isPossible ? 0 : last; ; beacon += 1) {
    const depthOf = identities.underBeacon(epoch, beacon);
    const ranking = fromTop(claims.map((claim) => ({ ...claim, depth: depthOf(claim) })));
    if (beacon === last || isReached(ranking)) return ranking;
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
  assertInteger('newcomers', honest.newcomers, { least: 0 });
  if (!(honest.churn >= 0 && honest.churn <= 1)) {
    throw new RangeError(`"churn" expected 0..1, got ${honest.churn}`);
  }
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
