/**
 * @module
 * What the registry says of a protocol: what it is called, what it assumes, what it costs at most,
 * where it comes from, and how its machine is made.
 */

import type { FlagFault, Flags, FlagValues, NumberFlags, NumberOf } from './flags.ts';
import type { Json, Machine, Message, Rank } from './machine.ts';
import type { Timing } from './timing.ts';

/** A machine whose protocol a driver does not know: its state is some JSON, its messages typed. */
export type AnyMachine = Machine<Json, Message>;

/** What a node claims of itself, by its rank. */
export type AttributeOf = (rank: Rank) => number;

export interface Protocol {
  readonly name: string;
  /** How leadership comes about: by messages to higher ranks, around a ring, by votes, by a store. */
  readonly family: 'bully' | 'ring' | 'quorum' | 'lease';
  /**
   * Who is meant to win: the highest live member, the best by what members claim of themselves (and
   * then by rank), or anybody, as long as there is one.
   */
  readonly elects: 'highest' | 'attribute' | 'any';
  /** What it never has two leaders in: a moment (the default), or an epoch that it numbers. */
  readonly unique?: 'moment' | 'epoch' | undefined;
  /** Whether a link that reorders can break its safety. */
  readonly fifo: boolean;
  /** One sentence: what safety and liveness need of network and membership. */
  readonly assumes: string;
  /** In words and formulas, n the number of members. */
  readonly messageBound: string;
  /** About how many messages an election among n nodes sends at most; sizes are limited by it. */
  readonly messagesAbout: (nodes: number, flags?: Flags) => number;
  /** About how many of them can be in flight at once, where that is nearly all. */
  readonly inFlightAbout?: ((nodes: number) => number) | undefined;
  /** About how many entries the lists in them have altogether; absent where they carry none. */
  readonly entriesAbout?: ((nodes: number) => number) | undefined;
  /**
   * For what never comes to rest, as leaders send heartbeats: an election has settled when every live
   * node has followed the same live leader for so many ticks. Absent where silence is rest.
   */
  readonly steadyTicks?: ((timing: Timing, flags: Flags) => number) | undefined;
  readonly source: string;
  /** What nodes and, where it has one, its store send. */
  readonly messageTypes: readonly string[];
  /** Where published descriptions differ: each flag and the values it takes, the default first. */
  readonly flags: FlagValues;
  /** Times and bounds that a description leaves open; `flags` sets them too. */
  readonly numbers?: NumberFlags | undefined;
  /** What cannot work together, of numbers that are each within bounds; null where all of it can. */
  readonly clash?: ((numberOf: NumberOf, flags: Flags) => FlagFault | null) | undefined;
  /** What the attribute of a rank means to it; absent where it has none. */
  readonly attributes?: string | undefined;
  /** How many of its next neighbours a node knows. */
  readonly successors: number;
  /** The flags are those of `flags` and `numbers`; `attributeOf` matters where it has attributes. */
  readonly create: (timing: Timing, flags?: Flags, attributeOf?: AttributeOf) => AnyMachine;
  /** The store that its nodes call, seated after the last rank; absent where they call none. */
  readonly createStore?: ((timing: Timing, flags?: Flags) => AnyMachine) | undefined;
}
