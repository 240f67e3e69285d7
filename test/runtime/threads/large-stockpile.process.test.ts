/**
 * @module
 * A stock of 2·10⁶ keys against a puzzle of 17 bits. Node IDs are drawn, because a key's hash is as good as random;
 * real are the choice of the keys to keep, their order and the puzzles. The highest ID that solves the puzzle lies
 * below a share of all IDs whose law is 1 − (1 − 2^−17·x)^N, so its mean is (1 − (1 − p)^(N+1)) / (p·(N + 1)).
 * A stock of 65 536 keys would hold no winner in three of five cases.
 */

import { createCipheriv } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { mine } from '../../../src/mining/search.ts';
import { hitAt, packHits, StockKeys } from '../../../src/mining/stock.ts';
import { stockpileStrategy, withStock } from '../../../src/mining/stockpile.ts';
import { NO_KERNELS } from '../../../src/mining/strategy.ts';
import { kernelSource } from '../../../src/runtime/threads/kernels.ts';
import { mineInThreads } from '../../../src/runtime/threads/mining-pool.ts';
import { STOPPED_CLOCKS, specOf, taskWith } from '../../mining/tasks.ts';

const KEYS = 2_000_000;
const C1 = 17;
const STOCKS = 4;
const CHUNK = 50_000;
/** The bytes of a key in stock, beside those that the sort takes. */
const BYTES_OF_KEY = 40;

describe('a stock of 2 000 000 keys', () => {
  const tops = Array.from({ length: STOCKS }, (_, index) => topOf(index));

  it('has its top where the closed form expects it', () => {
    const p = 2 ** -C1;
    const mean = (1 - (1 - p) ** (KEYS + 1)) / (p * (KEYS + 1));
    const measured = tops.reduce((sum, { below }) => sum + below, 0) / STOCKS;

    expect(mean).toBeCloseTo(0.0655, 4);
    // The share below the top is exponential, with a deviation as large as its mean.
    expect(Math.abs(measured - mean)).toBeLessThan((4 * mean) / Math.sqrt(STOCKS));
  });

  it('is not cut, and holds a winner, for which more tests are needed than the old 65 536', () => {
    expect(tops.every(({ length, found }) => length === KEYS && found)).toBe(true);
    expect(Math.max(...tops.map(({ tests }) => tests))).toBeGreaterThan(2 ** 16);
  });

  it('takes 40 bytes a key', () => {
    expect(tops.every(({ bytes }) => bytes === BYTES_OF_KEY * KEYS)).toBe(true);
  });
});

describe('a stock of more than 65 536 real keys', () => {
  it('is tested whole, with one thread or two', async () => {
    const stockpile = 70_000;
    const task = taskWith({ strategy: 'stockpile', stockpile, policy: { c1: 100 } });

    const alone = mine(task, STOPPED_CLOCKS, kernelSource());
    const shared = await mineInThreads(task, { threads: 2 });

    expect(alone.ledger.attempts).toBe(stockpile);
    expect(shared.ledger.attempts).toBe(stockpile);
  });
});

/** The first winner of a drawn stock: its share from the top, and the tests up to it. */
function topOf(index: number) {
  const task = taskWith({ strategy: 'stockpile', stockpile: KEYS, policy: { c1: C1 } });
  const made = new StockKeys();
  const ids = drawn(index);
  for (let from = 0; from < KEYS; from += CHUNK) {
    const hits = Array.from({ length: CHUNK }, (_, within) => {
      const attempt = from + within;
      return { attempt, nodeId: ids.subarray(32 * attempt, 32 * (attempt + 1)) };
    });
    made.add({ keys: packHits(hits), tested: CHUNK });
  }
  const { stock } = withStock(task, made.all());
  if (stock === undefined) throw new TypeError('a stock was expected');
  const searcher = stockpileStrategy.searcher(specOf({ ...task, stock }), NO_KERNELS);
  const { hits, tested } = searcher.scan({ from: 0, count: stock.length, wanted: 1 });
  const { nodeId } = hitAt(stock, hits[0]?.attempt ?? 0);
  return {
    length: stock.length,
    bytes: stock.attempts.byteLength + stock.nodeIds.byteLength,
    found: hits.length === 1,
    tests: tested,
    below: 1 - new DataView(nodeId.buffer).getUint32(0) / 2 ** 32,
  };
}

/** 2·10⁶ random IDs from the key stream of AES. */
function drawn(index: number): Buffer {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, index + 1), Buffer.alloc(16));
  return cipher.update(Buffer.alloc(32 * KEYS));
}
