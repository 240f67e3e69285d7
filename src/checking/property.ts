/**
 * @module
 * The form of a checked property. `always` must hold in every world, `sometimes` in at least one world, and `eventually`
 * in at least one world of every weakly fair execution (in infinitely many if it recurs). A property judges worlds by the
 * public state of each node, by its readings of nodes, and by its own history of the steps so far.
 */

import type { Clients } from '../election/clients/client-form.ts';
import type { SafetyProperty } from '../election/definition/fault-row.ts';
import type { Flags } from '../election/definition/flags.ts';
import type { Protocol } from '../election/definition/protocol.ts';
import type { ResourceKind } from '../election/lease/stores/resource.ts';
import type { Json, Message } from '../election/machine.ts';
import type { NodeView } from '../election/properties.ts';
import type { ProtocolName } from '../election/registry.ts';
import type { EffectRecord } from '../election/world/effect-record.ts';
import type { Action } from '../election/world/world.ts';
import type { Flight, WorldNode } from '../election/world/world-state.ts';
import type { Instance } from './instance.ts';

/** One step of a node, as histories see it. */
export interface NodeStep {
  /** The rank of the node, or of the store. */
  readonly rank: number;
  readonly protocol: ProtocolName;
  /** What the environment may do in the execution. */
  readonly bounds: Instance['bounds'];
  /** The action. The id of a message that it delivers has no meaning. */
  readonly action: Action;
  /** The message that it delivers; null for another action. */
  readonly delivered: { readonly from: number; readonly message: Message } | null;
  /** The effects, in order. Ids of messages have no meaning. */
  readonly effects: readonly EffectRecord[];
}

/**
 * What a property must remember of the past. Its state is a part of the world, so that worlds with different pasts are
 * different worlds: it should keep no more than the property needs.
 */
export interface History<State extends Json = Json, Note extends Json = Json> {
  readonly first: State;
  /** What a step of an honest node or of the store adds, in order. It is asked once for each step of a local state. */
  readonly notesOf: (step: NodeStep) => readonly Note[];
  /** The state after a note. Equal pasts must have equal states: sort what has no order. */
  fold(state: State, note: Note): State;
  /** The state if each node had another rank. A history without it is not renamed. */
  renamed?(state: State, rankOf: (rank: number) => number): State;
}

/** What a property reads in a node or in the store, beside what is public. It may be null. */
export interface Reading<Fact extends Json = Json> {
  readonly of: (node: WorldNode, protocol: ProtocolName) => Fact;
}

/** A world as properties see it. It is valid until the next world is judged. */
export interface WorldView {
  readonly protocol: ProtocolName;
  /** Every member by rank: whether it is up, and its leader. */
  readonly nodes: readonly NodeView[];
  /** The ranks of Byzantine nodes. Properties demand nothing of them. */
  readonly byzantine: ReadonlySet<number>;
  /** Ranks that no node has. */
  readonly phantoms: ReadonlySet<number>;
  /** Nothing is in flight, no timer is set, and no choice, start or report is open. */
  readonly isAtRest: boolean;
  /** The rank of the store; null without one. */
  readonly store: number | null;
  /** What a history kept up to this world. Throws RangeError unless a checked property states the history. */
  readonly pastOf: <State extends Json, Note extends Json>(history: History<State, Note>) => State;
  /** What the reading finds in a node or in the store. */
  readonly factOf: <Fact extends Json>(reading: Reading<Fact>, rank: number) => Fact;
  /** A node or the store as the reference semantics has it. Equal ones are the same object. */
  readonly nodeOf: (rank: number) => WorldNode;
  /** The messages in flight; of each link in the order of sending if links are in order. Equal ones are the same object. */
  readonly inFlight: () => readonly Omit<Flight, 'id'>[];
  /** Whether the messages of a link arrive in the order of sending. */
  readonly isOrdered: boolean;
}

/** The protocols, timing, links and faults for which a property is claimed. */
export interface Claim {
  /** Why the property says nothing about a protocol whose leaders write to this resource, as a clause. Null if it does. */
  readonly unsupportedReason: (
    protocol: Protocol,
    resource: ResourceKind | null,
    clients?: Clients | undefined,
  ) => string | null;
  /**
   * The properties of the fault matrix that imply it; L is that a leader is elected. It is claimed under the faults,
   * timing and links whose cells break none of them: without any, always. Null if it is checked by name only.
   */
  readonly matrix: readonly (SafetyProperty | 'L')[] | null;
  /** Why it is not claimed with these clients, as a clause. Null if it is. Absent if it does not depend on clients. */
  readonly unservedReason?: (
    clients: Clients,
    served: Pick<Instance, 'resource' | 'bounds'> & { readonly flags: Flags },
  ) => string | null;
  /** Whether it is claimed only if the resource that leaders write to has a fence. */
  readonly needsFence?: true;
}

export interface CheckedProperty {
  readonly name: string;
  readonly kind: 'always' | 'sometimes' | 'eventually';
  /** What it says, as a sentence without a full stop. */
  readonly description: string;
  readonly claim: Claim;
  /** A `sometimes` property without which this one says nothing; null for `sometimes` and properties of the user. */
  readonly partner: string | null;
  readonly histories: readonly History[];
  /** A change of what these find makes a world be judged. */
  readonly readings: readonly Reading[];
  /**
   * What a property of the user looks at. It judges every world, because nothing is known of it: it may hold at rest
   * and not before. So the search is not reduced. Absent for the properties of the lab.
   */
  readonly reads?: 'leaders' | 'everything';
  /** Whether an `eventually` property must hold again and again: an execution that loses it for ever violates it. */
  readonly recurs?: true;
  /** Whether it stands for a goal: it says that the goal is never reached, and a violation shows how it is. */
  readonly isGoal?: true;
  /** Whether it has the same value if nodes exchange their ranks, so that it compares none of them. Default: no. */
  readonly isSymmetric?: true;
  readonly holds: (view: WorldView) => boolean;
  /** What is wrong in a world in which it does not hold, as words that follow a colon. */
  readonly breach: (view: WorldView) => string;
}
