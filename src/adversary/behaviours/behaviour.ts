/**
 * @module
 * This folder contains the behaviours of Byzantine nodes, by kind of attack. This file is the contract of
 * a behaviour: what a Byzantine node does instead of, or beside, its protocol. A behaviour wraps a sealed
 * machine in another one, so that behaviours can be combined. It receives and sends all messages with
 * their seals. It cannot sign for a node whose keys it does not have.
 */

import type { Authentication } from '../../election/authentication/authenticated.ts';
import { definition } from '../../election/definition/definitions.ts';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import type { Effects, Message, Rank, Self } from '../../election/machine.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { Timing } from '../../election/timing.ts';

/** What an adversary aims at in an election. */
export const AIMS = ['lead', 'stop', 'split', 'outlive-lease'] as const;
export type Aim = (typeof AIMS)[number];

/** What a Byzantine node knows. */
export interface ByzantineNode {
  readonly protocol: ProtocolName;
  readonly timing: Timing;
  /** The rank of the Byzantine node. */
  readonly rank: Rank;
  /** Ranks of all nodes of its adversary, its own included. They share what they know. */
  readonly accomplices: readonly Rank[];
  /** A rank above every member's, which no node has. */
  readonly phantom: Rank;
  readonly authentication: Authentication;
}

/** The arguments of one step of a machine around a node's own. */
export interface WrappingStep<State> {
  readonly machine: AnyMachine;
  readonly byzantineNode: ByzantineNode;
  readonly self: Self;
  readonly state: State;
  readonly effects: Effects<Message>;
}

/** What an election must also contain for a behaviour to take effect. */
export type StageEvent =
  /** The highest honest node was the leader and crashed before the election. */
  | 'leader-dead'
  /** The node that leads without the adversary crashes after the election. */
  | 'leader-dies'
  /** The highest honest node joins after the election and is elected. */
  | 'leader-replaced'
  /** The honest nodes are in two halves that cannot reach each other. Both reach the adversary. */
  | 'honest-halved'
  /** The honest nodes are paused until the adversary has won. */
  | 'adversary-first'
  /** Leaders write to a resource without fencing. */
  | 'leaders-write';

/** The election in which a behaviour is tried. */
export interface BehaviourStage {
  readonly events?: readonly StageEvent[];
  /** Failure detector on the nodes. The default is a perfect one outside of them. */
  readonly detector?: string;
  /** How long the election is watched, in units of the longest election. The default is 12. */
  readonly episodes?: number;
  /** Identities of the adversary that it needs among this number of nodes. The default is 1. */
  readonly colluders?: (nodes: number) => number;
  /** Whether the behaviour names a rank that no node has. */
  readonly namesPhantom?: true;
}

export interface Behaviour {
  readonly name: string;
  /** The number in the catalogue of attacks: A1..A18. */
  readonly attack: string;
  /** One sentence: what it does and what becomes of it. */
  readonly summary: string;
  /** What it is meant to achieve. Any harm that it does counts. */
  readonly aim: Aim;
  /** Whether it is pointless below the top, so that a top ID is forged for it if the protocol ranks nodes. */
  readonly needsTopId: boolean;
  /** Whether the node joins or returns after an election, so that a rule for newcomers affects it. */
  readonly comesLate: boolean;
  /** The election in which it can take effect. */
  readonly stage: (protocol: ProtocolName) => BehaviourStage;
  /** Why the protocol cannot be attacked by it, in words. Null if it can. */
  readonly unsupportedReason: (protocol: ProtocolName) => string | null;
  /**
   * Why its harm remains at level L3 against every set of defences that is tried, in one sentence. Null if a
   * set stops it, or it does no harm to the protocol.
   */
  readonly remains: (protocol: ProtocolName) => string | null;
  /** The Byzantine machine, around the node's own. */
  readonly wrap: (machine: AnyMachine, byzantineNode: ByzantineNode) => AnyMachine;
}

/** Whether a top ID is forged for the behaviour by default: where ranks have no meaning, none is. */
export function forgesTopId({ needsTopId }: Behaviour, protocol: ProtocolName): boolean {
  return needsTopId && PROTOCOLS[protocol].isRanked;
}

/** Makes a definition a behaviour that registries list. */
export function defineBehaviour<const Name extends string>(
  given: Behaviour & { readonly name: Name },
): Behaviour & { readonly name: Name } {
  return definition('behaviour', given);
}
