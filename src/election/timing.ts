/**
 * @module
 * The time-outs of synchronous elections, derived from one bound: how long a message may
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

/**
 * T + Δ + 1: from a request to stand by to the announcement that ends it. The winner sent its message now
 * at the latest, waits at most T for nodes that stand by, and its announcement travels Δ.
 */
export function standbyTicks(timing: Timing): number {
  return answerTicks(timing) + timing.latencyTicksMax + 1;
}

/**
 * (n+1)T: from a first sign of trouble to the end of an election of n nodes that halts at most n−1 nodes,
 * one after the other, and then installs and readies all of them at once. Each call is over within T. An
 * earlier start would disturb an election without faults.
 */
export function reorganisationTicks(timing: Timing, nodes: number): number {
  return (nodes + 1) * answerTicks(timing);
}

/**
 * (3n−1)Δ + 1: a whole election on a ring of n nodes at its longest, n hops and d < n more until the
 * highest gets its own message back, n to announce it; and one tick more, so that a tie is not a
 * time-out.
 */
export function ringElectionTicks(timing: Timing, ringNodes: number): number {
  return (3 * ringNodes - 1) * timing.latencyTicksMax + 1;
}

/**
 * 10(2Δ + 1): how long a leader may be silent before others stand for election, if a heartbeat is due
 * every 2Δ + 1. Ten heartbeats are what etcd's documentation advises.
 */
export function silenceTicks(timing: Timing): number {
  return 10 * answerTicks(timing);
}
