/**
 * @module
 * Keys in stock as packed arrays: 40 bytes for a key with an ID of 32 bytes, shared by all threads of a search.
 * `StockKeys` collects them while they are made, and `releaseOrder` sorts them.
 */

import type { Hit, ScanResult, Stock } from './strategy.ts';

/** The sort packs the index of a key and the beginning of its value into 64 bits. */
const INDEX_BITS = 24;
const INDEX_MASK = 2 ** INDEX_BITS - 1;
const HEAD_BYTES = 5;

/** The hits as a stock in the same order. All IDs must have the same length. */
export function packHits(hits: readonly Hit[]): Stock {
  const stock = emptyStock(hits.length, hits[0]?.nodeId.length ?? 0);
  for (const [index, { attempt, nodeId }] of hits.entries()) {
    stock.attempts[index] = attempt;
    stock.nodeIds.set(nodeId, index * stock.idBytes);
  }
  return stock;
}

/** The keys of several stocks, of which only the first `length` keys count, in one that threads can share. */
export function joined(stocks: readonly Stock[]): Stock {
  const length = stocks.reduce((sum, stock) => sum + stock.length, 0);
  const whole = emptyStock(length, stocks[0]?.idBytes ?? 0);
  let at = 0;
  for (const { attempts, nodeIds, idBytes, length: added } of stocks) {
    whole.attempts.set(attempts.subarray(0, added), at);
    whole.nodeIds.set(nodeIds.subarray(0, added * idBytes), at * idBytes);
    at += added;
  }
  return whole;
}

/** The key at an index of a stock. */
export function hitAt({ attempts, nodeIds, length, idBytes }: Stock, index: number): Hit {
  const attempt = index < length ? attempts[index] : undefined;
  if (attempt === undefined) throw new RangeError(`"attempt" expected one in stock, got ${index}`);
  return { attempt, nodeId: nodeIds.slice(index * idBytes, (index + 1) * idBytes) };
}

/**
 * Collects the keys that are made, as `Winners` collects those that win. A class, because it changes while its
 * phase runs.
 */
export class StockKeys {
  readonly #chunks: Stock[] = [];
  /** No scan stops before the end of its range. */
  readonly kept = Number.POSITIVE_INFINITY;
  /** Number of tested keys. */
  tested = 0;
  /** All numbers below this one were scanned. */
  scanned = 0;

  add({ keys, tested }: Pick<ScanResult, 'keys' | 'tested'>): void {
    this.tested += tested;
    if (keys !== undefined && keys.length > 0) this.#chunks.push(keys);
  }

  /** All keys so far, in no certain order. */
  all(): Stock {
    return joined(this.#chunks);
  }

  /** No key ends the search for keys to keep. */
  end(): number {
    return Number.POSITIVE_INFINITY;
  }

  bar(): { readonly closerThan?: Uint8Array } {
    return {};
  }

  /** A search that continues makes its stock again. */
  numbers(): readonly number[] {
    return [];
  }

  outcome<Ending>(_order: object, ending: Ending) {
    return { tested: this.scanned, overshoot: 0, ending, winners: [], hits: [] };
  }
}

/**
 * The stock in the order of release: the most valuable keys first, without later keys of an ID. The value of a key is its
 * node ID XOR a mask of the same length. Without a mask it is the node ID, by which a network orders before a beacon is
 * drawn.
 */
export function releaseOrder(keys: Stock, size: number, mask: Uint8Array | null = null): Stock {
  const order = byValue(keys, mask ?? new Uint8Array(keys.idBytes));
  const kept = emptyStock(Math.min(size, order.length), keys.idBytes);
  const copyId = idCopier(keys.nodeIds, kept.nodeIds, keys.idBytes);
  for (let index = 0; index < kept.length; index += 1) {
    const key = order[index] ?? 0;
    kept.attempts[index] = keys.attempts[key] ?? 0;
    copyId(key, index);
  }
  return kept;
}

/** Copies the ID at an index of one array to an index of another: word by word if that is possible. */
export function idCopier(from: Uint8Array, to: Uint8Array, idBytes: number, stride = idBytes) {
  const isWhole = [idBytes, stride, from.byteOffset, to.byteOffset].every((each) => each % 4 === 0);
  const [source, target] = isWhole ? [wordsOf(from), wordsOf(to)] : [from, to];
  const unit = isWhole ? 4 : 1;
  const [width, step] = [idBytes / unit, stride / unit];
  return (index: number, toIndex: number) => {
    for (let nth = 0; nth < width; nth += 1) {
      target[toIndex * width + nth] = source[index * step + nth] ?? 0;
    }
  };
}

function wordsOf({ buffer, byteOffset, length }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, Math.floor(length / 4));
}

/**
 * Indexes of the keys, the highest value first. Equal values are in the order of their attempts, and only the first key
 * of an ID is there.
 */
function byValue(keys: Stock, mask: Uint8Array): Uint32Array {
  const { attempts, length } = keys;
  // The engine sorts integers without calls of a function.
  const words = new Uint32Array(packedHeads(keys, mask).sort().buffer);
  const order = Uint32Array.from({ length });
  const isTie = (at: number) =>
    words[2 * at + 1] === words[2 * at + 3] &&
    (words[2 * at] ?? 0) >>> INDEX_BITS === (words[2 * at + 2] ?? 0) >>> INDEX_BITS;
  let kept = 0;
  for (let from = 0; from < length; ) {
    let end = from + 1;
    while (end < length && isTie(end - 1)) end += 1;
    for (let at = from; at < end; at += 1)
      order[kept + at - from] = (words[2 * at] ?? 0) & INDEX_MASK;
    kept += end - from === 1 ? 1 : sortTies(order.subarray(kept, kept + end - from));
    from = end;
  }
  return order.subarray(0, kept);

  /** Sorts keys whose values begin alike, and moves those that count to the front. Returns their number. */
  function sortTies(ties: Uint32Array): number {
    ties.sort(
      (left, right) =>
        compareIds(keys, right, left, mask) || (attempts[left] ?? 0) - (attempts[right] ?? 0),
    );
    const first = ties.filter(
      (key, at) => at === 0 || compareIds(keys, ties[at - 1] ?? 0, key) !== 0,
    );
    ties.set(first);
    return first.length;
  }
}

/** The complement of the first bytes of each value, and the index below it: ascending, the highest value is first. */
function packedHeads({ nodeIds, idBytes, length }: Stock, mask: Uint8Array): BigUint64Array {
  if (length > INDEX_MASK) throw new RangeError(`"keys" expected at most 2^24, got ${length}`);
  const packed = new BigUint64Array(length);
  // The lower word of each is first, as on all machines that Node runs on.
  const words = new Uint32Array(packed.buffer);
  const heads = new Uint8Array(packed.buffer);
  const bytes = Math.min(HEAD_BYTES, idBytes);
  for (let index = 0; index < length; index += 1) {
    words[2 * index] = index;
    for (let nth = 0; nth < bytes; nth += 1) {
      const value = (nodeIds[index * idBytes + nth] ?? 0) ^ (mask[nth] ?? 0);
      heads[8 * index + 7 - nth] = ~value;
    }
  }
  return packed;
}

/** Compares two keys by their values. Without a mask these are their IDs. */
function compareIds(
  { nodeIds, idBytes }: Stock,
  left: number,
  right: number,
  mask: Uint8Array | null = null,
): number {
  for (let nth = 0; nth < idBytes; nth += 1) {
    const one = nodeIds[left * idBytes + nth] ?? 0;
    const other = nodeIds[right * idBytes + nth] ?? 0;
    if (one !== other) {
      const masked = mask?.[nth] ?? 0;
      return (one ^ masked) - (other ^ masked);
    }
  }
  return 0;
}

function emptyStock(length: number, idBytes: number): Stock {
  const attempts = new Float64Array(new SharedArrayBuffer(8 * length));
  const nodeIds = new Uint8Array(new SharedArrayBuffer(idBytes * length));
  return { length, idBytes, attempts, nodeIds };
}
