/**
 * @module
 * Keys in stock as packed arrays: 40 bytes for a key with an ID of 32 bytes, shared by all threads of a search.
 * `StockHits` collects them while they are made, and `releaseOrder` sorts them.
 */

import { compareBytes } from '../bytes.ts';
import type { Hit, Stock } from './strategy.ts';

/** Bytes of a value that the sort compares first, as one number. */
const HEAD_BYTES = 6;

/** The hits as a stock in the same order. All IDs must have the same length. */
export function packHits(hits: readonly Hit[]): Stock {
  const stock = emptyStock(hits.length, hits[0]?.nodeId.length ?? 0);
  for (const [index, { attempt, nodeId }] of hits.entries()) put(stock, index, { attempt, nodeId });
  return stock;
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
export class StockHits {
  readonly #chunks: Stock[] = [];

  add(hits: readonly Hit[]): void {
    if (hits.length > 0) this.#chunks.push(packHits(hits));
  }

  /** All keys so far, in no certain order. */
  all(): Stock {
    const length = this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    const stock = emptyStock(length, this.#chunks[0]?.idBytes ?? 0);
    let at = 0;
    for (const { attempts, nodeIds, idBytes, length: added } of this.#chunks) {
      stock.attempts.set(attempts, at);
      stock.nodeIds.set(nodeIds, at * idBytes);
      at += added;
    }
    return stock;
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

  outcome<Ended extends object>(ended: Ended) {
    return { overshoot: 0, ...ended, winners: [], hits: [] };
  }
}

/**
 * The stock in the order of release: the most valuable keys first, without later keys of an ID. The default value
 * is the node ID, by which a network orders before a beacon is drawn.
 */
export function releaseOrder(
  keys: Stock,
  size: number,
  worth: (nodeId: Uint8Array) => Uint8Array = (nodeId) => nodeId,
): Stock {
  const { nodeIds, attempts, idBytes, length } = keys;
  const idOf = (index: number) => nodeIds.subarray(index * idBytes, (index + 1) * idBytes);
  const heads = Float64Array.from({ length }, (_, index) => headOf(worth(idOf(index))));
  const order = Uint32Array.from({ length }, (_, index) => index).sort(
    (left, right) =>
      (heads[right] ?? 0) - (heads[left] ?? 0) ||
      compareBytes(worth(idOf(right)), worth(idOf(left))) ||
      (attempts[left] ?? 0) - (attempts[right] ?? 0),
  );
  const isSame = (left: number, right: number) =>
    heads[left] === heads[right] && compareBytes(idOf(left), idOf(right)) === 0;
  const distinct = order.filter((key, at) => at === 0 || !isSame(key, order[at - 1] ?? key));
  const kept = emptyStock(Math.min(size, distinct.length), idBytes);
  for (let index = 0; index < kept.length; index += 1) {
    put(kept, index, hitAt(keys, distinct[index] ?? 0));
  }
  return kept;
}

/** The first bytes as a number, which orders values unless it is equal. */
function headOf(value: Uint8Array): number {
  let head = 0;
  for (let at = 0; at < HEAD_BYTES; at += 1) head = head * 256 + (value[at] ?? 0);
  return head;
}

function emptyStock(length: number, idBytes: number): Stock {
  const attempts = new Float64Array(new SharedArrayBuffer(8 * length));
  const nodeIds = new Uint8Array(new SharedArrayBuffer(idBytes * length));
  return { length, idBytes, attempts, nodeIds };
}

function put({ attempts, nodeIds, idBytes }: Stock, index: number, hit: Hit): void {
  attempts[index] = hit.attempt;
  nodeIds.set(hit.nodeId, index * idBytes);
}
