/**
 * @module
 * Yggdrasil's use of keys, against its own unit test and against keys of real public peers.
 */

import { describe, expect, it } from 'vitest';

import { bytesToHex, compareBytes, hexToBytes } from '../../../src/bytes.ts';
import { staticBits, yggdrasilAddress } from '../../../src/identity/ids/node-id.ts';
import { rankKeyOf } from '../../../src/identity/ids/rank-key.ts';
import { schemeOf } from '../../../src/identity/keys/scheme.ts';
import { policyWith } from '../forged-claims.ts';

const PEERS = [
  [
    '00000000000da547036a01860a9e3a0476a525415801ec34f4e5b59fd6055b88',
    44,
    '22c:4b57:1f92:bfcf:3eac:38bf:712b:5b57',
  ],
  [
    '000000000143db657d1d6f80b5066dd109a4cb31f7dc6cb5d56050fffb014217',
    39,
    '227:bc24:9a82:e290:7f4a:f992:2ef6:5b34',
  ],
  [
    '0000000087ee9949eeab56bd430ee8f324cad55abf3993ed9b9be63ce693e18a',
    32,
    '220:f022:cd6c:22a9:5285:79e2:2e19:b66a',
  ],
  [
    '00000002a957313975d1fe53b9ac641b05b1a9c37da22d4ebcef45e7a5bd4c67',
    30,
    '21e:ab54:6763:4517:d6:2329:cdf2:7d27',
  ],
  [
    '00defa4b4b243547f2d5641ac5235ff1e35d393c576e4bb9cd45baefc81e48d9',
    8,
    '208:420b:6969:b795:701a:5537:ca75:b940',
  ],
  [
    'f91b909f43829f8b20732b3bcf80cbc4bb078dd47b41638379a078e35984c9a4',
    0,
    '200:dc8:dec1:78fa:c0e9:bf19:a988:60fe',
  ],
] as const;

/** The row of the upstream unit test. */
const UPSTREAM = [
  'bdbacfd82240de3dcd123924cbb55256fb8dab08aa98e305528ab84f419e6efb',
  0,
  '200:848a:604f:bb7e:4384:65db:8db6:6895',
] as const;

describe('a key', () => {
  it.each([...PEERS, UPSTREAM])('%s has strength %d and address %s', (hex, strength, address) => {
    const key = hexToBytes(hex);

    expect(staticBits(key, policyWith({ idRule: 'yggdrasil' }))).toBe(strength);
    expect(yggdrasilAddress(key)).toBe(address);
  });

  it.each([...PEERS, UPSTREAM])('%s is a point of prime order', (hex) => {
    const facts = schemeOf('ed25519').decode(hexToBytes(hex));

    expect(facts?.canonical).toBe(true);
    expect(facts?.isTorsionFree()).toBe(true);
  });

  it('of zeros or of ones has an address all the same', () => {
    expect(yggdrasilAddress(new Uint8Array(32))).toBe('200::');
    expect(yggdrasilAddress(new Uint8Array(32).fill(255))).toBe('200::');
  });

  it('of many zeros ends its address with what follows its first one', () => {
    // After 251 zeros and a one: 0110, inverted 1001, and nothing.
    const nearlyZero = hexToBytes('16'.padStart(64, '0'));

    expect(yggdrasilAddress(nearlyZero)).toBe('2fb:9000::');
  });

  it('of another length has none', () => {
    expect(() => yggdrasilAddress(new Uint8Array(33))).toThrow(
      new RangeError('"publicKey" expected 32 bytes, got 33'),
    );
  });
});

describe('the root', () => {
  const keys = [...PEERS].reverse().map(([hex]) => hexToBytes(hex));

  it('is the smallest key', () => {
    const [root] = keys.toSorted(compareBytes);

    expect(bytesToHex(root ?? new Uint8Array())).toBe(PEERS[0][0]);
  });

  it('has the highest rank key under the rule smallest', () => {
    const ranked = keys
      .map((key) => ({ key, rank: bytesToHex(rankKeyOf(key, { type: 'smallest' })) }))
      .sort((left, right) => (left.rank < right.rank ? 1 : -1));

    expect(ranked.map(({ key }) => bytesToHex(key))).toEqual(PEERS.map(([hex]) => hex));
  });
});
