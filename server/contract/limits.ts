/**
 * @module
 * Limits that requests of several kinds have in common.
 */

/** Longest latency of a request, in ticks. Only the ratio of latencies matters; longer ones cost memory. */
export const LATENCY_TICKS_MAX = 1_000;
