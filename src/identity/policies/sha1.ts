/**
 * @module
 * S/Kademlia as first published. The collisions of SHA-1 that were found choose several blocks of 64 bytes. A key of 32 or
 * 33 bytes is one block with its padding, so that only the birthday bound of 160 bits remains.
 */

import { STRICT_POLICY } from '../policy.ts';
import { S_KADEMLIA } from '../puzzles/puzzle.ts';
import { digestBytesOf } from '../puzzles/puzzle-function.ts';
import { defineNamedPolicy, keysForPair } from './named-policy.ts';

export const sha1Policy = defineNamedPolicy({
  policy: { ...STRICT_POLICY, hash: 'sha1', c1: 12 },
  summary: 'S/Kademlia with SHA-1 and 160-bit IDs, as first published',
  weakness: {
    flaw: 'IDs have 160 bits: two keys with one ID take 2^80.3 tests, two admitted ones 2^86.3',
    gain: 'two admitted keys with one ID; out of reach',
    cost: '√(π/2 · 2^(160 + c1)) keys: the known collisions of SHA-1 need several blocks, a key is one',
    attempts: (policy) => keysForPair(policy, Math.min(policy.idBits, 8 * digestBytesOf('sha1'))),
    refusedBy: 'nodeId',
  },
  reference: `${S_KADEMLIA}; Leurent and Peyrin, SHA-1 is a Shambles (2020)`,
});
