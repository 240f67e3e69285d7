/**
 * @module
 * The state of a live node, as its peers and observers see it.
 */

import { z } from 'zod';
import type { Rank } from '../election/machine.ts';
import type { LiveNode } from './live-node.ts';
import { NODE_REFUSALS } from './live-node.ts';
import type { Membership } from './membership.ts';
import type { NodeLog } from './node-log.ts';

/** What can be seen of a node. */
export interface Observed {
  readonly node: LiveNode;
  readonly rank: Rank;
  readonly membership: Membership;
  readonly log: NodeLog;
  readonly about: {
    readonly protocol: string;
    readonly level: string;
    readonly latencyMs: number;
    /** Null of a protocol with a store, whose nodes do not watch each other. */
    readonly detector: string | null;
  };
  /** What was wrong with its store in this life. */
  readonly warnings: readonly string[];
  /** Whether the node has started or returned. */
  readonly hasBegun: () => boolean;
}

/**
 * The version of docs/peer-protocol.md that a node speaks. A change counts it up if nodes of the version before would refuse
 * or misread an honest message.
 */
export const PEER_PROTOCOL = 1;

const count = z.int().min(0);
const position = z.int().min(1);

/** The state of a node for observers. */
export const statusSchema = z.object({
  rank: z.string(),
  /** Null of a node that was not admitted yet. */
  position: position.nullable(),
  protocol: z.string(),
  /** The version of the peer protocol: 1 if a node of another program does not state it. */
  peerProtocol: z.int().min(1).optional(),
  election: z.string(),
  members: count,
  level: z.string(),
  /** The longest time that a message may take. Nodes of other programs need not state it. */
  latencyMs: z.number().positive().optional(),
  /** Null of a node that watches no other. */
  detector: z.string().nullable(),
  life: count,
  ready: z.boolean(),
  leader: z.string().nullable(),
  leaderPosition: position.nullable(),
  epoch: count,
  since: z.iso.datetime(),
  suspects: z.array(position),
  refused: z.record(z.enum(NODE_REFUSALS), count),
  traceComplete: z.boolean(),
  /** What was wrong with its store in this life. Nodes of other programs need not state it. */
  warnings: z.array(z.string()).optional(),
});
export type NodeStatus = Readonly<z.output<typeof statusSchema>>;

/** The state of a node now. */
export function statusOf({
  node,
  rank,
  membership,
  log,
  about,
  warnings,
  hasBegun,
}: Observed): NodeStatus {
  const { leader, epoch, since } = node.following;
  const { election, peers } = membership.network;
  const positionOf = (each: Rank) => membership.peer(each)?.position ?? null;
  return {
    rank: String(rank),
    position: positionOf(rank),
    ...about,
    peerProtocol: PEER_PROTOCOL,
    election,
    members: peers.length,
    life: log.lives + 1,
    ready: hasBegun(),
    leader: leader === null ? null : String(leader),
    leaderPosition: leader === null ? null : positionOf(leader),
    epoch,
    since: new Date(since).toISOString(),
    suspects: [...node.suspects].flatMap((each) => positionOf(each) ?? []).sort((a, b) => a - b),
    refused: node.refused,
    traceComplete: log.isComplete(),
    warnings: [...warnings],
  };
}
