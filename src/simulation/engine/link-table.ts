/**
 * @module
 * A number for each link, 0 at first. Up to `denseMax` endpoints the numbers of all n² links are one array of
 * 8n² bytes. Above, they are a map. On FIFO links no message overtakes an earlier one from the same sender to
 * the same recipient: a message with a shorter latency arrives in the tick of the message before it, right
 * after it. Δ is still the longest latency, since the message before it was not sent later.
 */

const DENSE_ENDPOINTS_MAX = 4096;

export interface LinkTable {
  get(from: number, to: number): number;
  set(from: number, to: number, value: number): void;
  /** Raises the number of a link to `least` if it is lower. Returns the number. */
  raise(from: number, to: number, least: number): number;
}

/** A table of the links among ranks 1..endpoints. */
export function createLinkTable(endpoints: number, denseMax: number): LinkTable {
  const indexOf = (from: number, to: number) => (from - 1) * endpoints + to - 1;
  if (endpoints > denseMax) {
    const values = new Map<number, number>();
    return {
      get: (from, to) => values.get(indexOf(from, to)) ?? 0,
      set: (from, to, value) => values.set(indexOf(from, to), value),
      raise(from, to, least) {
        const index = indexOf(from, to);
        const value = Math.max(least, values.get(index) ?? 0);
        values.set(index, value);
        return value;
      },
    };
  }
  let values: Float64Array | null = null;
  return {
    get: (from, to) => values?.[indexOf(from, to)] ?? 0,
    set(from, to, value) {
      values ??= new Float64Array(endpoints * endpoints);
      values[indexOf(from, to)] = value;
    },
    raise(from, to, least) {
      values ??= new Float64Array(endpoints * endpoints);
      const index = indexOf(from, to);
      const value = Math.max(least, values[index] ?? 0);
      values[index] = value;
      return value;
    },
  };
}

/** The tick at which a message between two ranks arrives that would otherwise arrive at `due`. */
export type FifoLinks = (from: number, to: number, due: number) => number;

/** All links among ranks 1..endpoints, without messages. */
export function createFifoLinks(endpoints: number): FifoLinks {
  return createLinkTable(endpoints, DENSE_ENDPOINTS_MAX).raise;
}
