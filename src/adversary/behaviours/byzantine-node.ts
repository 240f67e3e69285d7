/**
 * @module
 * The Byzantine nodes of an election: what each of them knows, and its machine with its behaviours.
 */

import type { Authentication } from '../../election/authentication/authenticated.ts';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import type { Rank } from '../../election/machine.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { Timing } from '../../election/timing.ts';
import { toRank } from '../../election/world/cast.ts';
import { LabError } from '../../errors.ts';
import { confined } from '../keys.ts';
import type { ByzantineNode } from './behaviour.ts';
import { findBehaviour } from './registry.ts';

/** The election of Byzantine nodes. All ranks are positions 1..`nodes`. */
export interface ByzantineElection {
  readonly protocol: ProtocolName;
  readonly timing: Timing;
  readonly nodes: number;
  /** The Byzantine nodes, which have one adversary. */
  readonly byzantine: readonly { readonly rank: number }[];
  /** Ranks that no node has. */
  readonly phantoms: readonly number[];
}

/** Ranks whose keys are accepted: all but the phantoms. */
export function admittedRanks({
  nodes,
  phantoms,
}: Pick<ByzantineElection, 'nodes' | 'phantoms'>): Rank[] {
  const ranks = Array.from({ length: nodes }, (_, index) => index + 1);
  return ranks.filter((rank) => !phantoms.includes(rank)).map(toRank);
}

/** What the Byzantine node with this rank knows. It can sign for its accomplices, but not for honest nodes. */
export function byzantineNodeOf(
  { protocol, timing, nodes, byzantine, phantoms }: ByzantineElection,
  rank: number,
  authentication: Authentication,
): ByzantineNode {
  const accomplices = byzantine.map((each) => toRank(each.rank));
  return {
    protocol,
    timing,
    accomplices,
    rank: toRank(rank),
    authentication: confined(authentication, accomplices),
    phantom: toRank(phantoms.length === 0 ? nodes : Math.max(...phantoms)),
  };
}

/**
 * The machine with these behaviours around it, the first of them innermost. Throws RangeError for an unknown
 * behaviour, and LabError `arguments` for one that returns no machine.
 */
export function withBehaviours(
  machine: AnyMachine,
  behaviours: readonly string[],
  node: ByzantineNode,
): AnyMachine {
  return behaviours.reduce<AnyMachine>((inner, name) => {
    const behaviour = findBehaviour(name);
    if (behaviour === null) throw new RangeError(`"name" expected a behaviour, got ${name}`);
    const wrapped: AnyMachine | undefined = behaviour.wrap(inner, node);
    // The types of a file of the user are not checked. Without a machine the node would be honest.
    if (wrapped !== undefined) return wrapped;
    const detail = `behaviour ${name}: "wrap" must return a machine, got undefined`;
    throw new LabError('arguments', detail);
  }, machine);
}
