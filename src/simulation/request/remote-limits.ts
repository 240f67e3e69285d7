/**
 * @module
 * Limits of the elections that a server simulates for its callers. They are lower than those of the simulator.
 */

import type { Level } from '../../election/authentication/authenticated.ts';
import type { Flags } from '../../election/definition/flags.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';

/** Longest latency of a request, in ticks. Only the ratio of latencies matters; longer ones cost memory. */
export const LATENCY_TICKS_MAX = 1_000;
/** Ranks of an election. Bully sends about n² messages, n²/2 of them in one step if all nodes start. */
export const NODES_MAX = 500;
/**
 * Expected messages of an election, by the registry. With 500 nodes every protocol sends fewer, except
 * `zab-fle` (n³ if all nodes start at once) and Bully with `rejoin: naive`, whose messages double with every
 * node.
 */
export const MESSAGES_MAX = 1_000_000;
/**
 * Messages in flight in one election, of about 54 bytes each. An election above the limit can only be
 * deleted. (If all of 500 nodes start, Bully sends 125 000 at once. With latencies that differ by a factor of
 * 1000 it had 2.7 million in flight.)
 */
export const IN_FLIGHT_MAX = 150_000;
/** Nodes of an election with signatures: if all start, Bully signs n²/2 at once, each in about 15 µs. */
export const SIGNED_NODES_MAX = 100;
/** Intervals that the detectors of one election keep. */
export const DETECTOR_ENTRIES_MAX = 1_000_000;

/** A protocol after the defences were applied. */
export interface Settled {
  readonly protocol: ProtocolName;
  readonly flags: Flags;
  readonly level?: Level | undefined;
}

/** Whether nodes of this level sign messages. */
export function isSigned(level: Level | null | undefined): boolean {
  return level === 'L2' || level === 'L3';
}

/** Why an election of these nodes is too large for a server; null if it is not. */
export function sizeProblem({ protocol, flags, level }: Settled, nodes: number): string | null {
  const { messagesAbout, inFlightAbout } = PROTOCOLS[protocol];
  if (isSigned(level) && nodes > SIGNED_NODES_MAX) {
    return `at most ${SIGNED_NODES_MAX} nodes here if messages are signed`;
  }
  if (messagesAbout(nodes, flags) > MESSAGES_MAX) {
    return `at most ${MESSAGES_MAX} messages here; ${nodes} nodes of ${protocol} send more`;
  }
  if ((inFlightAbout?.(nodes) ?? 0) <= IN_FLIGHT_MAX) return null;
  return `at most ${IN_FLIGHT_MAX} messages in flight here; ${nodes} nodes of ${protocol} have more`;
}
