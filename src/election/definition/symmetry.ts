/**
 * @module
 * Which nodes of a protocol are exchangeable. A machine that only copies ranks and tests whether two are equal does the
 * same whichever node has which rank. A protocol whose machine does no more states where its states contain ranks.
 * Worlds that differ only in who has which rank then behave alike, so that the checker visits one of them. Tests and
 * the checker itself compare steps with those of exchanged nodes: a false statement is found.
 */

/** How a machine uses ranks that it never compares by `<`, and where its states contain them. */
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
