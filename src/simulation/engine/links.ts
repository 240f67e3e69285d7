/**
 * @module
 * FIFO links: no message overtakes an earlier one of the same sender to the same receiver. A message
 * drawn faster than its predecessor arrives in the same tick, right behind it. Δ still bounds every
 * latency, since the predecessor was sent no later.
 */

/** Up to here the last arrivals of all n² links are one array of 8n² bytes; above, a map. */
const DENSE_NODES_MAX = 4096;

/** The tick at which a message between two ranks that is due at `due` arrives. */
export type FifoLinks = (from: number, to: number, due: number) => number;

/** All links among ranks 1..nodes, with nothing sent on any. */
export function createFifoLinks(nodes: number): FifoLinks {
  return nodes <= DENSE_NODES_MAX ? createDenseLinks(nodes) : createSparseLinks(nodes);
}

function createDenseLinks(nodes: number): FifoLinks {
  let arrivals: Float64Array | null = null;
  return (from, to, due) => {
    arrivals ??= new Float64Array(nodes * nodes);
    const link = (from - 1) * nodes + to - 1;
    const arrival = Math.max(due, arrivals[link] ?? 0);
    arrivals[link] = arrival;
    return arrival;
  };
}

function createSparseLinks(nodes: number): FifoLinks {
  const arrivals = new Map<number, number>();
  return (from, to, due) => {
    const link = (from - 1) * nodes + to - 1;
    const arrival = Math.max(due, arrivals.get(link) ?? 0);
    arrivals.set(link, arrival);
    return arrival;
  };
}
