/**
 * @module
 * FIFO links: no message overtakes an earlier one from the same sender to the same recipient. A message with
 * a shorter latency arrives in the tick of the message before it, right after it. Δ is still the longest
 * latency, since the message before it was not sent later.
 */

import { createLinkTable } from './link-table.ts';

const DENSE_ENDPOINTS_MAX = 4096;

/** The tick at which a message between two ranks arrives that would otherwise arrive at `due`. */
export type FifoLinks = (from: number, to: number, due: number) => number;

/** All links among ranks 1..endpoints, without messages. */
export function createFifoLinks(endpoints: number): FifoLinks {
  return createLinkTable(endpoints, DENSE_ENDPOINTS_MAX).raise;
}
