/**
 * @module
 * Decides whether the nodes of a cluster agree on a leader, from what each of them reports and from the sides of a
 * partition.
 */

import { LabError } from '../../errors.ts';

/** What is known of a node that is up. */
export interface Seen {
  /** By rank. */
  leader: string | null;
  epoch: number;
  /** Messages that it has refused, by reason. */
  refused: Readonly<Record<string, number>>;
  /** Refused messages that no level has checked, by reason. Absent if it is not known. */
  unseen?: Readonly<Record<string, number>> | undefined;
  /** The ranks that its detector suspects. */
  readonly suspects: Set<string>;
}

/** A node that leads, with its epoch; 0 in a protocol without epochs. */
export interface Led {
  readonly node: number;
  readonly epoch: number;
}

/** Which leader one node follows. */
export interface Follower {
  readonly node: number;
  readonly leader: number | null;
  readonly epoch: number;
}

/** Nodes that follow one leader. */
export interface Agreement {
  readonly leader: number;
  readonly epoch: number;
  readonly nodes: readonly number[];
}

/**
 * The agreement of the followers on the largest side; null if there is none now. No node may suspect the leader: it
 * would not notice if the leader failed now.
 */
export function agreementOf(
  sides: readonly (readonly number[])[],
  followers: readonly Follower[],
  suspects: (node: number, leader: number) => boolean,
): Agreement | null {
  const groups = sides.map((side) => followers.filter(({ node }) => side.includes(node)));
  const [largest = []] = groups.toSorted((one, other) => other.length - one.length);
  const [first, ...others] = largest;
  if (first === undefined || first.leader === null) return null;
  const { leader, epoch } = first;
  const nodes = largest.map(({ node }) => node);
  const isShared = others.every((each) => each.leader === leader && each.epoch === epoch);
  if (nodes.some((node) => suspects(node, leader))) return null;
  return isShared && nodes.includes(leader) ? { leader, epoch, nodes } : null;
}

/**
 * The sides of a partition, with one more side of the nodes that none of them names. Throws LabError `arguments` if a node
 * is on two sides, or if there is only one side.
 */
export function wholeSides(
  sides: readonly (readonly number[])[],
  nodes: readonly number[],
): readonly (readonly number[])[] {
  const named = sides.flat();
  if (new Set(named).size < named.length)
    throw new LabError('arguments', 'a node is on two sides of the partition; name each node once');
  const rest = nodes.filter((node) => !named.includes(node));
  const all = rest.length === 0 ? sides : [...sides, rest];
  if (all.length > 1) return all;
  throw new LabError(
    'arguments',
    'all nodes are on one side of the partition; leave out those of the other side',
  );
}
