/**
 * @module
 * Rank keys: what each rule makes of a node ID, and how it orders two.
 */

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { bytesToHex, compareBytes } from '../../../src/bytes.ts';
import { byRank, rankKeyOf, rankRuleOf } from '../../../src/identity/ids/rank-key.ts';

const NODE_ID = Uint8Array.from({ length: 32 }, (_, index) => index);
const BEACON = new Uint8Array(32).fill(7);
const ids = fc.uint8Array({ minLength: 20, maxLength: 20 });

describe('a rank key', () => {
  it('is the node ID by default', () => {
    expect(rankKeyOf(NODE_ID, { type: 'node-id' })).toEqual(NODE_ID);
  });

  it('is salted by hashing the beacon before the node ID', () => {
    const digest = createHash('sha256').update(BEACON).update(NODE_ID).digest('hex');

    expect(bytesToHex(rankKeyOf(NODE_ID, { type: 'salted', beacon: BEACON }))).toBe(digest);
  });

  it('of the smallest rule reverses every order', () => {
    const rule = { type: 'smallest' } as const;
    fc.assert(
      fc.property(ids, ids, (left, right) => {
        const plain = Math.sign(compareBytes(left, right));
        const reversed = compareBytes(rankKeyOf(left, rule), rankKeyOf(right, rule));

        expect(Math.sign(reversed) + plain).toBe(0);
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  it('orders nodes by the rule of their policy, the lowest first', () => {
    const nodes = [5, 3, 9].map((byte) => ({ byte, nodeId: new Uint8Array(32).fill(byte) }));
    const orderOf = (idRule: 'hash' | 'yggdrasil' | 'storj') =>
      byRank(nodes, rankRuleOf({ idRule })).map(({ byte }) => byte);

    expect(orderOf('hash')).toEqual([3, 5, 9]);
    expect(orderOf('storj')).toEqual([3, 5, 9]);
    expect(orderOf('yggdrasil')).toEqual([9, 5, 3]);
    expect(nodes.map(({ byte }) => byte)).toEqual([5, 3, 9]);
  });

  it('under another beacon orders anew', () => {
    const nodes = Array.from({ length: 16 }, (_, index) => new Uint8Array(32).fill(index));
    const order = (beacon: Uint8Array) =>
      nodes
        .map((nodeId, index) => ({ index, key: rankKeyOf(nodeId, { type: 'salted', beacon }) }))
        .sort((left, right) => compareBytes(left.key, right.key))
        .map(({ index }) => index);

    expect(order(BEACON)).not.toEqual(order(new Uint8Array(32)));
  });
});
