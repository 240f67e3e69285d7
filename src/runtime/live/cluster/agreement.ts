/**
 * @module
 * Decides whether the nodes of a cluster agree on a leader, from what each of them reports.
 */

/** What is known of a node that is up. */
export interface Seen {
  /** By rank. */
  leader: string | null;
  epoch: number;
  /** Messages that it has refused, by reason. */
  refused: Readonly<Record<string, number>>;
  /** Those of them that no level has checked. Absent if it is not known. */
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
