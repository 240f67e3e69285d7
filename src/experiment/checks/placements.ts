/**
 * @module
 * Where an adversary can place forged identities among honest ones whose node IDs are known, and what each placement
 * costs. What a protocol does depends on the IDs only by the ranks that they have. So of all IDs in the gap between two
 * neighbours any is as good as any other, and n honest nodes leave n + 1 gaps. An attempt yields an admissible identity
 * in each gap with a known probability (mining/odds.ts). The adversary keeps all that it finds, until it has those of a
 * placement that it wants (theory/collecting.ts), and solves the dynamic puzzle for these alone.
 */

import { resolveGoal } from '../../adversary/goals.ts';
import { bytesToHex } from '../../bytes.ts';
import { LabError } from '../../errors.ts';
import { nodeIdBytesOf } from '../../identity/ids/node-id.ts';
import type { RankRule } from '../../identity/ids/rank-key.ts';
import { byRank, rankRuleOf } from '../../identity/ids/rank-key.ts';
import type { Policy } from '../../identity/policy.ts';
import type { Goal } from '../../mining/goal.ts';
import { goalProbability } from '../../mining/goal.ts';
import { winProbability } from '../../mining/odds.ts';
import {
  attemptHashes,
  realBits,
  solvingHashes,
  sparedShare,
  staticHashes,
  takesSalt,
} from '../../mining/policy-cost.ts';
import { collectionCost } from '../theory/collecting.ts';

/** Honest nodes, and the policy under which identities join them. */
export interface HonestNetwork {
  /** By rank, the lowest first. */
  readonly nodeIds: readonly Uint8Array[];
  readonly policy: Policy;
}

/** Identities of an adversary among the honest ones. */
export interface Placement {
  /** For each identity the number of honest nodes that rank below it, ascending. */
  readonly below: readonly number[];
}

/** An expected amount of work. Infinity if no ID is in a gap. */
export interface PlacementCost {
  /** Keys that are tested. */
  readonly attempts: number;
  /** Evaluations of the primitive for node IDs and both puzzles. */
  readonly hashes: number;
}

export type PricedPlacement = Placement & PlacementCost;

/** Ranks these honest node IDs. Throws LabError `arguments` for IDs that the policy does not have, and for equal ones. */
export function honestNetwork(nodeIds: readonly Uint8Array[], policy: Policy): HonestNetwork {
  const bytes = nodeIdBytesOf(policy);
  const strange = nodeIds.find(({ length }) => length !== bytes);
  if (strange !== undefined) {
    const detail = `the honest node IDs have ${strange.length} bytes, those of this policy have ${bytes}`;
    throw new LabError('arguments', detail);
  }
  const texts = nodeIds.map(bytesToHex);
  const twice = texts.find((text, index) => texts.indexOf(text) < index);
  if (twice !== undefined) {
    throw new LabError('arguments', `two honest nodes have the node ID ${twice}`);
  }
  const ranked = byRank(
    nodeIds.map((nodeId) => ({ nodeId })),
    rankRuleOf(policy),
  );
  return { nodeIds: ranked.map(({ nodeId }) => nodeId), policy };
}

/**
 * The goals of searches for an identity in each gap, by the number of honest nodes that rank below it. They exclude each
 * other.
 */
export function gapGoals({ nodeIds, policy }: HonestNetwork): Goal[] {
  const rule = rankRuleOf(policy);
  const isReversed = rule.type === 'smallest';
  const opposite: RankRule = { type: isReversed ? 'node-id' : 'smallest' };
  const top = resolveGoal({ type: 'top' }, nodeIds, rule);
  if (nodeIds.length === 0) return [top];
  const inner = nodeIds.slice(1).flatMap((upper, index): Goal[] => {
    const lower = nodeIds[index];
    if (lower === undefined) return [];
    const [low, high] = isReversed ? [upper, lower] : [lower, upper];
    return [{ type: 'between', low, high }];
  });
  return [resolveGoal({ type: 'top' }, nodeIds, opposite), ...inner, top];
}

/**
 * All placements of at most this number of identities, the cheapest first. The first is that without an identity. Of
 * equally expensive ones that with fewer identities comes first, then the one whose identities rank higher.
 */
export function pricedPlacements(network: HonestNetwork, colluders: number): PricedPlacement[] {
  const priced = Array.from({ length: colluders + 1 }, (_, identities) =>
    choices(network.nodeIds.length + 1, identities).map((below) => ({
      below,
      ...costOfAny(network, [{ below }]),
    })),
  ).flat();
  return priced.toSorted(
    (one, other) =>
      compare(one.hashes, other.hashes) ||
      compare(one.attempts, other.attempts) ||
      one.below.length - other.below.length ||
      sum(other.below) - sum(one.below),
  );
}

/**
 * The least expected cost for an adversary that is content with each of these placements, and takes the one that it can
 * have first. Where nothing is hashed, the keys alone count.
 */
export function costOfAny(network: HonestNetwork, placements: readonly Placement[]): PlacementCost {
  const { policy } = network;
  if (!policy.checks.nodeId) return costOfChosen(network, placements);
  const goals = gapGoals(network);
  const perAttempt = attemptHashes(policy, 0);
  // The puzzle of an ID in a gap that is not wanted is not evaluated.
  const puzzle = staticHashes(policy);
  const { attempts, cost } = collectionCost({
    probabilities: goals.map((goal) => winProbability(policy, goal)),
    perAttempt: perAttempt === 0 ? 1 : perAttempt,
    testing: goals.map((goal) => puzzle * goalProbability(goal)),
    sparing: sparedShare(policy),
    wanted: placements.map(({ below }) => ({
      counts: goals.map((_, gap) => below.filter((each) => each === gap).length),
      finishing: solvingHashes(policy, below.length),
    })),
  });
  // Each attempt counts as 1 then.
  const isFree = perAttempt === 0 && attempts < Number.POSITIVE_INFINITY;
  return { attempts, hashes: isFree ? cost - attempts : cost };
}

/**
 * The cost of any of the placements if IDs do not follow from keys. An attempt tests the puzzle of an ID that the adversary
 * takes from the gap.
 */
function costOfChosen(network: HonestNetwork, placements: readonly Placement[]): PlacementCost {
  const { policy } = network;
  const isRoomy = gapGoals(network).map((goal) => goalProbability(goal) > 0);
  const perId = takesSalt(policy) ? 2 ** realBits(policy).c1 : 1;
  const costs = placements
    .filter(({ below }) => below.every((gap) => isRoomy[gap]))
    .map(({ below: { length: ids } }) => {
      const attempts = ids * perId;
      const solving = solvingHashes(policy, ids) * (1 - sparedShare(policy)) ** ids;
      return { attempts, hashes: attempts * staticHashes(policy) + solving };
    });
  const none = { attempts: Number.POSITIVE_INFINITY, hashes: Number.POSITIVE_INFINITY };
  const order = (one: PlacementCost, other: PlacementCost) =>
    one.hashes - other.hashes || one.attempts - other.attempts;
  return costs.toSorted(order)[0] ?? none;
}

/** Whether each identity of a placement is also one of another. */
export function isWithin(part: Placement, whole: Placement): boolean {
  return part.below.every((gap) => countOf(part, gap) <= countOf(whole, gap));
}

/** The ranks of the adversary's identities, ascending. */
export function adversaryRanksOf({ below }: Placement): number[] {
  return below.map((honest, index) => honest + index + 1);
}

/** Where the identities are, such as `above all`, or `between 1 and 2, above all`, by the ranks that result. */
export function placementText(placement: Placement, honest: number): string {
  if (placement.below.length === 0) return 'none';
  const counts = Map.groupBy(placement.below, (gap) => gap);
  return [...counts]
    .map(([gap, { length }]) => {
      const where = gapText(gap, honest);
      return length === 1 ? where : `${length} ${where}`;
    })
    .join(', ');
}

function gapText(below: number, honest: number): string {
  if (below === honest) return 'above all honest';
  if (below === 0) return 'below all honest';
  return `between honest ${below} and ${below + 1}`;
}

function countOf({ below }: Placement, gap: number): number {
  return below.filter((each) => each === gap).length;
}

/** The multisets of `size` gaps, each ascending. */
function choices(gaps: number, size: number, from = 0): number[][] {
  if (size === 0) return [[]];
  return Array.from({ length: gaps - from }, (_, index) => from + index).flatMap((gap) =>
    choices(gaps, size - 1, gap).map((rest) => [gap, ...rest]),
  );
}

/** Infinity equals itself. */
function compare(one: number, other: number): number {
  return one === other ? 0 : one - other;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
