/**
 * @module
 * What a cluster is started with.
 */

import type { Protocol } from '../../election/definition/protocol.ts';
import type { Message } from '../../election/machine.ts';
import type { Disturbance } from '../check/disturbances.ts';
import type { LIVE_LEVELS, LiveProtocol } from '../live-machine.ts';
import type { LiveRecord } from '../node-record.ts';
import type { Namespaces } from './namespaces.ts';
import type { Watchdog } from './watchdog.ts';

/** Nodes of a cluster by default. */
export const CLUSTER_NODES = 3;
/** Each takes about 90 MB. */
export const CLUSTER_NODES_MAX = 64;

/** What all nodes run. */
export interface ClusterSettings extends LiveProtocol {
  readonly nodes: number;
  readonly level: (typeof LIVE_LEVELS)[number];
  /** The detector as the command line has it. */
  readonly detector: string;
  /** Bits of the puzzles that the IDs of all nodes must solve. */
  readonly c1: number;
  readonly c2: number;
  /** Whether the nodes encrypt their connections and prove their identities in them. */
  readonly tls: boolean;
}

export interface ClusterPlan {
  /** The arguments of `usurp node` for each founder, or the other machine that runs it. */
  readonly founders: readonly (readonly string[] | Elsewhere)[];
  /** A folder that is removed with the cluster, also if this process is killed; null for none. */
  readonly folder: string | null;
  /** One that already watches the store; a new one if absent. The cluster closes it. */
  readonly watchdog?: Watchdog | undefined;
  /** Where each node runs in a network namespace of its own; none if absent. */
  readonly namespaces?: Namespaces | null | undefined;
  /** Whether the nodes call a store, which can be on a side of a partition. */
  readonly hasStore?: boolean | undefined;
  /** Whether they elect through it alone, so that those that reach it can agree whatever else is cut. */
  readonly electsInStore?: boolean | undefined;
  /** Nodes that were removed before, which are not started. Default: none. */
  readonly removed?: readonly number[] | undefined;
  /** The members that count by what a node has persisted, in a protocol in which they change. */
  readonly votersIn?: Protocol['votersIn'];
  /** The ranks of the founders. Needed with `votersIn`. */
  readonly founderRanks?: readonly string[] | undefined;
  /** Receives the stderr of a node that stops without a command, and what is wrong with a report of a node. */
  readonly onFault: (node: number, text: string) => void;
  /** Receives the warnings of a node that goes on. */
  readonly onWarning?: ((node: number, text: string) => void) | undefined;
  /** Receives what a node has done. */
  readonly onRecord: (node: number, record: LiveRecord) => void;
  /** Receives what a node says to clients. */
  readonly onClient?: ((node: number, message: Message) => void) | undefined;
  /** Receives what happens to the nodes and their links, and the ends of processes, by the numbers of the nodes. */
  readonly onDisturbance?: ((disturbance: Disturbance<number>) => void) | undefined;
  /** Called when the state of a node may have changed. */
  readonly onChange?: (() => void) | undefined;
}

/** A node of another machine. */
export interface Elsewhere {
  readonly machine: string;
  readonly rank: string;
}
