/**
 * @module
 * The two time-outs of synchronous elections, derived from one bound: how long a message may
 * travel. Processing takes no time here. With a bound that holds, an answer that has not come after
 * T never comes (Garcia-Molina 1982, "Elections in a Distributed Computing System", whose T is the
 * same assumption); with one that does not hold, time-outs only cause restarts and double leaders.
 */

/** What a protocol may know about the network: no message travels longer than this. */
export interface Timing {
  readonly latencyTicksMax: number;
}

/** T = 2Δ + 1: a question and its answer, and one tick more, so that a tie is not a time-out. */
export function answerTicks(timing: Timing): number {
  return 2 * timing.latencyTicksMax + 1;
}

/**
 * T' = T + 3Δ + 2: from an OK to the announcement, counted for the lowest initiator: its question
 * reaches the winner (Δ), the winner waits out T, the announcement travels (Δ); the rest is slack.
 */
export function announcementTicks(timing: Timing): number {
  return answerTicks(timing) + 3 * timing.latencyTicksMax + 2;
}
