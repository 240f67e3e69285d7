/**
 * @module
 * This folder contains the form of a protocol definition.
 * The definition of a protocol: one value that states everything the lab knows about it. Validation,
 * random messages for tests, enumerations of the command line and the API, documentation tables, both
 * matrices and the contract tests are derived from it. A fact that does not apply is null, empty, or the
 * reason why it does not; it is never left out, so that a missing fact is a compile error.
 */

import type { MessageOf } from '../handlers.ts';
import type { Json, Machine, Message, Rank } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { definition } from './definitions.ts';
import type { Unaffected } from './drawn-faults.ts';
import type { FaultRow } from './fault-row.ts';
import type { FlagFault, Flags, FlagValues, NumberFlags, NumberOf } from './flags.ts';
import type { Forgery, Reason } from './forgery.ts';
import type { ComputedMessages, MessageDefinition, MessageFacts } from './message-definition.ts';

/** A machine whose protocol a driver does not know: its state is some JSON, its messages typed. */
export type AnyMachine = Machine<Json, Message>;

/** What a node claims of itself, by its rank. */
export type AttributeOf = (rank: Rank) => number;

/** The store that the nodes of a lease protocol call. It is the machine of the rank after the last. */
export interface StoreDefinition {
  /** Types of the messages between a node and the store. */
  readonly messageTypes: readonly string[];
  readonly create: (timing: Timing, flags: Flags) => AnyMachine;
}

/** How tokens travel round a ring. */
export interface RingTokens {
  /** Laps that a token needs at most among n nodes. */
  readonly laps: (nodes: number) => number;
  /** Whether a node may replace a lower token by its own, so that all tokens may come from one node. */
  readonly isReplaced: boolean;
  /** Whether the token of a higher candidate takes the lead from any leader. */
  readonly outbidsLeaders: boolean;
  /** Why the next node does not always owe a token to the one after. Null if it does. */
  readonly unowed: Reason | null;
}

/** How a node that waits for a higher one can be stalled by it, and pass it over. */
export interface Waiting {
  /** Types that make others wait for the sender. */
  readonly answers: readonly string[];
  /** Types that make the sender the leader without a preceding message. */
  readonly announcements: readonly string[];
  /** How long a round of this many nodes takes, in ticks. */
  readonly roundTicks: (timing: Timing, nodes: number) => number;
}

/** How a node that is expected to lead stalls the election. */
export interface Stall {
  /** Types that it never sends. */
  readonly withheld: readonly string[];
  /** Timers at whose end it stands for election; it does not wait for them. */
  readonly hastened: readonly string[];
}

/** How a voter votes for every candidate. */
export interface DoubleVote {
  /** The answer to a message of `from`. Null if the message is not a question. */
  readonly answers: (question: Message, from: Rank) => readonly Message[] | null;
  /** Types that its own protocol must not send beside that. */
  readonly mutes: readonly string[];
}

/** By which messages a leader can prove that a majority voted for it. */
export interface Certificate {
  /** Type of the messages by which a node asks for votes. */
  readonly question: string;
  /** Type of the messages that vote for their recipient. They are claims. */
  readonly vote: string;
  /** The member of all these messages that numbers the election. */
  readonly number: string;
  /** Whether the sender of a message states that it leads. */
  readonly announces: (message: Message) => boolean;
}

/** How a node uses up the numbers of elections. */
export interface Inflation {
  /** What it sends to every node. Null if it sends nothing beside its protocol. */
  readonly sends: ((rank: Rank, epoch: number) => Message) | null;
  /** The path of the member that it raises in messages of this type. Null if it raises none. */
  readonly raises: { readonly type: string; readonly path: readonly string[] } | null;
}

/** The facts that do not depend on the types of state and messages. */
export interface ProtocolFacts {
  /**
   * How leadership comes about: messages to higher ranks (`bully`), a ring, votes (`quorum`), a store (`lease`), any
   * connected network (`graph`), or groups that merge (`groups`). A protocol can name a family of its own. What the lab
   * knows of the first four alone does not apply to it.
   */
  readonly family: string;
  /**
   * Which node must win: the highest live member, the best by what members claim of themselves (and then
   * by rank), or any live member.
   */
  readonly elects: 'highest' | 'attribute' | 'any';
  /** Whether a higher rank helps a node to lead. An adversary forges a top ID only if it does. */
  readonly isRanked: boolean;
  /** Where it never has two leaders: at one moment, or in one epoch that it numbers. */
  readonly unique: 'moment' | 'epoch';
  /** Whether it needs FIFO links: reordering breaks its safety, or stops it (see `faults.reorder`). */
  readonly fifo: boolean;
  /** One sentence: what safety and liveness need of network and membership. */
  readonly assumes: string;
  /** Which nodes must be among those that start an election. If it is left out, any node can start it alone. */
  readonly needsStart?: 'highest' | 'all' | undefined;
  /** In words and formulas. n is the number of members. */
  readonly messageBound: string;
  /**
   * About how many messages an election among n nodes sends at most if all start and none fails, until the
   * last of them follows the leader. Sizes are limited by it.
   */
  readonly messagesAbout: (nodes: number, flags?: Flags) => number;
  /** About how many messages can be in flight at once, if that is nearly all of them. */
  readonly inFlightAbout: ((nodes: number) => number) | null;
  /** About how many entries the lists in all messages have. Null if messages carry no lists. */
  readonly entriesAbout: ((nodes: number) => number) | null;
  /**
   * For protocols that never come to rest: an election has settled when every live node has followed the
   * same live leader for this number of ticks. Null if silence is rest, for every flag or for these.
   */
  readonly steadyTicks: ((timing: Timing, flags: Flags, nodes: number) => number | null) | null;
  /**
   * Why no node changes its leader after all nodes follow the highest one, in an election in which all nodes start and none
   * fails. An election that only confirms its leader ends at that moment. Null if it must run until rest.
   */
  readonly decided: string | null;
  readonly source: string;
  /** Where published descriptions differ: each flag and its values, the default first. */
  readonly flags: FlagValues;
  /** Times and bounds that a description leaves open. Callers set them like flags. */
  readonly numbers: NumberFlags;
  /** Which numbers cannot be combined, although each is within bounds. */
  readonly clash: ((numberOf: NumberOf, flags: Flags) => FlagFault | null) | null;
  /** What the attribute of a node means. Null if nodes have none. */
  readonly attributes: string | null;
  /** Whether nodes send messages to neighbours alone, so that it elects in any connected network. */
  readonly overLinks: boolean;
  /** How many of its next neighbours a node knows. */
  readonly successors: number;
  /**
   * The members that count by what a node has persisted, or null for the founders. It is null itself unless members can
   * join and leave without a second leader in an epoch.
   */
  readonly votersIn: ((persisted: Json) => readonly Rank[] | null) | null;
  /** Whether nodes lead by a lease that they renew. */
  readonly leases: boolean;
  /** Whether a message that names a node must return to that node, as on a ring. */
  readonly returnsToOrigin: boolean;
  /** How its tokens travel, or why they cannot be followed. */
  readonly tokens: RingTokens | Reason;
  /** The protocol whose messages its tokens carry. */
  readonly carries: Protocol | null;
  readonly forgery: Forgery;
  /** How it waits for a higher node, or null if it does not. */
  readonly waiting: Waiting | null;
  readonly stall: Stall | Reason;
  readonly doubleVote: DoubleVote | Reason;
  readonly inflation: Inflation | Reason;
  /** How a leader proves its votes, or why it cannot or need not. */
  readonly certificate: Certificate | Reason;
  /** The row of the protocol in the fault matrix. */
  readonly faults: FaultRow;
  /** Which kinds of drawn faults cannot change any of its runs, with the reason. */
  readonly unaffected: Unaffected;
  readonly store: StoreDefinition | null;
  /** Whether its leader serves clients itself, from a log that it replicates. Left out if it never does. */
  readonly servesClients?: ((flags: Flags) => boolean) | undefined;
  /** The numbers that grow without end. Empty if there are none, or if the machine does more with them. */
  readonly counters: readonly Counter[];
  /**
   * Where the state contains drawn lengths of timers, in the form of `counters`. The machine sets timers with these
   * numbers, and only tests whether one is 0.
   */
  readonly drawnTicks: readonly string[];
  /** Which nodes are exchangeable, or why none are. */
  readonly symmetry: Symmetry | Reason;
}

/** What a protocol's file contains. */
export interface ProtocolDefinition<Name extends string, State, M extends Message>
  extends ProtocolFacts {
  readonly name: Name;
  /** Every message type between nodes. A machine must state its types, unless they are computed. */
  readonly messages: string extends M['type']
    ? ComputedMessages
    : { readonly [Type in M['type']]: MessageDefinition<MessageOf<M, Type>> };
  /** Makes the machine of every node. `attributeOf` matters only where nodes have attributes. */
  readonly create: (
    timing: Timing,
    flags: Flags,
    attributeOf: AttributeOf | undefined,
  ) => Machine<State, M>;
}

/** A protocol as drivers see it. */
export interface Protocol extends ProtocolFacts {
  readonly name: string;
  readonly messages: Readonly<Record<string, MessageFacts>>;
  /** Types that nodes and their store send, in the order of the definition. */
  readonly messageTypes: readonly string[];
  readonly create: (timing: Timing, flags?: Flags, attributeOf?: AttributeOf) => AnyMachine;
}

/** Checks a definition's types and makes it a protocol. */
export function defineProtocol<const Name extends string, State, M extends Message>(
  given: ProtocolDefinition<Name, State, M>,
): Protocol & { readonly name: Name } {
  const { create, messages, store } = given;
  return definition('protocol', {
    ...given,
    // The keys are the types of M, which the compiler does not see as strings here.
    messages: messages as Readonly<Record<string, MessageFacts>>,
    // A file of the user may lack the messages or the machine, which its loader reports.
    messageTypes: [...Object.keys({ ...messages }), ...(store?.messageTypes ?? [])],
    create:
      typeof create !== 'function'
        ? create
        : (timing, flags = {}, attributeOf) =>
            // Drivers pass a machine only the states that it made itself.
            create(timing, flags, attributeOf) as unknown as AnyMachine,
  });
}

/**
 * One kind of number, whose values are compared only with each other. Numbers that grow without end, such as terms
 * and rounds. A protocol states those of its numbers that its machine only compares with each other, copies and
 * raises by constants. Worlds that differ only in how high such numbers are then behave alike, so that the checker
 * takes them for one. Tests and the checker itself compare steps with steps that are raised by some amounts, which
 * finds most false statements, but proves none to be true.
 */
export interface Counter {
  /** The name of the counter in the plural, such as `terms`. */
  readonly name: string;
  /** Where the state contains it: members joined by dots. `*` stands for each member of a list or table. */
  readonly state: readonly string[];
  /** Where the persisted record contains it, in the same form. */
  readonly persisted: readonly string[];
  /** Members of messages that contain it, whatever the type. */
  readonly messages: readonly string[];
  /** The members in which 0 means that there is no number. Elsewhere 0 is a number like others. */
  readonly unset: readonly string[];
}

/**
 * How a machine uses ranks that it never compares by `<`, and where its states contain them. Which nodes of a
 * protocol are exchangeable. A machine that only copies ranks and tests whether two are equal does the same
 * whichever node has which rank. A protocol whose machine does no more states where its states contain ranks. Worlds
 * that differ only in who has which rank then behave alike, so that the checker visits one of them. Tests and the
 * checker itself compare steps with those of exchanged nodes: a false statement is found.
 */
export interface Symmetry {
  /**
   * `members`: any nodes are exchangeable. `ring`: the machine uses its neighbours, so that only a ring that is turned
   * is the same.
   */
  readonly of: 'members' | 'ring';
  /**
   * Where the state contains ranks: members joined by dots. `*` stands for each member of a list or table, and a `#` at
   * the end for the names of the members of a table.
   */
  readonly state: readonly string[];
  /** Where the persisted record contains them, in the same form. */
  readonly persisted: readonly string[];
  /** The same of the store's state, and of the messages between nodes and store. Null without a store. */
  readonly store: {
    readonly state: readonly string[];
    readonly messages: readonly string[];
  } | null;
}
