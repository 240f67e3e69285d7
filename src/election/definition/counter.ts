/**
 * @module
 * Numbers that grow without end, such as terms and rounds. A protocol states those of its numbers that its machine
 * only compares with each other, copies and raises by constants. Worlds that differ only in how high such numbers are
 * then behave alike, so that the checker takes them for one. Tests and the checker itself compare steps with steps that
 * are raised by some amounts, which finds most false statements, but proves none to be true.
 */

/** One kind of number, whose values are compared only with each other. */
export interface Counter {
  /** Its name in the plural, such as `terms`. */
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
