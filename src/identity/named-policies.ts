/**
 * @module
 * The policies that have a name: a sound one, those with a flaw that is worth an attack, and the rules of two real
 * networks. Difficulties are small enough for a laptop, except where they are those of a network.
 */

import { NODE_ID_BYTES } from './ids/node-id.ts';
import { STORJ_DIFFICULTY_MIN, VERSION_BITS } from './ids/storj.ts';
import type { CheckName, Policy } from './policy.ts';
import { STRICT_POLICY } from './policy.ts';
import { DYNAMIC_PUZZLES, S_KADEMLIA } from './puzzles/puzzle.ts';
import { digestBytesOf, formatEvaluationCost } from './puzzles/puzzle-function.ts';

/** Why a policy is weak. docs/museum.md carries out each attack. */
export interface Weakness {
  /** How an adversary profits from it, in one line. */
  readonly flaw: string;
  /** What the attack obtains. */
  readonly gain: string;
  /** The expected cost of it, as a formula of c1, c2 and the bits of an ID. */
  readonly cost: string;
  /**
   * The expected number of keys that the attack tests under the policy, or under the policy with other difficulties. 0 if it
   * searches no key.
   */
  readonly attempts: (policy: Policy) => number;
  /** The first check of the strict policy that refuses the claim. */
  readonly refusedBy: CheckName;
}

export interface NamedPolicy {
  readonly policy: Policy;
  /** What it requires, in one line. */
  readonly summary: string;
  /** Null for a sound policy. */
  readonly weakness: Weakness | null;
  readonly reference: string;
}

const ITERATED = { function: 'iterated', iterations: 1000 } as const;
const SCRYPT = { function: 'scrypt', logN: 10, r: 8, p: 1 } as const;
const ARGON2ID = { function: 'argon2id', passes: 1, kib: 1024, lanes: 1 } as const;

/** The sound default first. */
const LISTED = {
  /** The sound default: every check. */
  strict: {
    policy: STRICT_POLICY,
    summary: 'all checks, and the work of c1 and c2',
    weakness: null,
    reference: `${S_KADEMLIA}, with SHA-256; RFC 8032, section 5.1.7`,
  },
  /** The dynamic puzzle as S/Kademlia published it. Its solutions can be shared by identities. */
  'xor-dynamic': {
    policy: { ...STRICT_POLICY, c1: 8, c2: 20, dynamic: 'xor' },
    summary: 'the dynamic puzzle as published: SHA-256(nodeId ⊕ X)',
    weakness: {
      flaw: 'one Y with a good SHA-256(Y) solves it for every ID as X = nodeId ⊕ Y',
      gain: 'one solution of the dynamic puzzle serves any number of identities',
      cost: '2^c1 keys for each identity, and 2^c2 tests of Y once; no test of Y if c2 ≤ c1, or if an ID is a Y',
      attempts: (policy) => keysForBits(policy),
      refusedBy: 'dynamic',
    },
    reference: S_KADEMLIA,
  },
  /**
   * The dynamic puzzle without its hash, as perlin-network/noise had it in 2019 (skademlia/puzzle.go, commit
   * e555e3b): the nonce X met c2 bits if BLAKE2b(nodeId) ⊕ X began with c2 zero bits. Here the node ID takes the
   * place of its digest. It makes no difference, because anyone knows both.
   */
  'unhashed-xor': {
    policy: { ...STRICT_POLICY, c1: 8, c2: 64, dynamic: 'unhashed' },
    summary: 'the dynamic puzzle without its hash: nodeId ⊕ X',
    weakness: {
      flaw: 'X = nodeId leaves only zeros, so any difficulty costs nothing',
      gain: 'a solution of any difficulty c2',
      cost: '2^c1 keys, and no work for c2',
      attempts: (policy) => keysForBits(policy),
      refusedBy: 'dynamic',
    },
    reference: DYNAMIC_PUZZLES.unhashed.source,
  },
  /** The difficulty of Storj, which counts the bits of a constant, at a difficulty for a laptop. */
  'version-byte': {
    policy: { ...STRICT_POLICY, idRule: 'storj', c1: 24 },
    summary: 'trailing zero bits of the ID, including a constant version byte',
    weakness: {
      flaw: 'eight of the bits are a constant: 24 cost 16 bits of work',
      gain: 'an identity of difficulty c1',
      cost: `2^(c1 − ${VERSION_BITS}) keys`,
      attempts: (policy) => keysForBits(policy, VERSION_BITS),
      refusedBy: 'nodeId',
    },
    reference: 'storj.io/common, package storj, NodeID.Difficulty',
  },
  /** Node IDs that are cut short, so that two keys can have the same one. */
  'truncated-id': {
    policy: { ...STRICT_POLICY, idBits: 32, c1: 8 },
    summary: 'node IDs cut to 32 bits',
    weakness: {
      flaw: 'two admitted keys with one ID take 2^20.3 tests, an admitted key with a given ID 2^32',
      gain: 'two admitted keys with one ID',
      cost: '√(π/2 · 2^(b + c1)) keys for IDs of b bits',
      attempts: (policy) => keysForPair(policy, policy.idBits),
      refusedBy: 'nodeId',
    },
    reference: 'the birthday bound; RFC 4270, section 2',
  },
  /**
   * Keys are not checked: a lenient verifier accepts points of small order and encodings that are not canonical.
   */
  'small-order': {
    policy: { ...STRICT_POLICY, checks: checksWithout('encoding', 'smallOrder', 'torsion') },
    summary: 'keys are not checked, as in lenient verifiers',
    weakness: {
      flaw: 'anyone signs without a secret for the fourteen encodings of the eight points of small order',
      gain: 'fourteen identities without a secret',
      cost: 'no key: the fourteen are fixed, and their static puzzles meet at most 2 bits',
      attempts: () => 0,
      refusedBy: 'smallOrder',
    },
    reference: 'RFC 8032, section 5.1.7; Chalkias et al., Taming the Many EdDSAs (2020)',
  },
  /** Keys outside the subgroup of prime order are accepted. */
  torsion: {
    policy: { ...STRICT_POLICY, c1: 12, checks: checksWithout('torsion') },
    summary: 'keys outside the subgroup of prime order are accepted',
    weakness: {
      flaw: 'one secret signs for eight keys A + T, so it has eight IDs',
      gain: 'an admitted key A + T, for which the secret of A signs',
      cost: '2^c1 keys for an identity, of which seven in eight are A + T; no tests are saved',
      attempts: (policy) => keysForBits(policy),
      refusedBy: 'torsion',
    },
    reference: 'Chalkias et al., Taming the Many EdDSAs (2020); RFC 7748, section 7',
  },
  /**
   * S/Kademlia as first published. The collisions of SHA-1 that were found choose several blocks of 64 bytes. A key
   * of 32 or 33 bytes is one block with its padding, so that only the birthday bound of 160 bits remains.
   */
  sha1: {
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
  },
  /** The static puzzle is bound to the epoch. The rank is not, so that keys can be made and sorted before. */
  salted: {
    policy: { ...STRICT_POLICY, c1: 12, salted: true },
    summary: 'the static puzzle is bound to the epoch, but the rank is not',
    weakness: {
      flaw: 'keys are stockpiled before the epoch opens and tested from the highest ID down',
      gain: 'in the epoch, one of the 2^c1 highest IDs of a stockpile',
      cost: '2^c1 tests in the epoch, however large the stockpile that was made before',
      attempts: (policy) => keysForBits(policy),
      refusedBy: 'static',
    },
    reference: 'SHA-256(challenge ‖ nodeId); compare a beacon in the rank key',
  },
  /** A slow puzzle function in place of one hash: many hashes. */
  iterated: {
    policy: { ...STRICT_POLICY, c1: 8, puzzle: ITERATED },
    summary: `the hash, iterated a thousand times; a check takes ${formatEvaluationCost(ITERATED)}`,
    weakness: null,
    reference: 'Kelsey et al., Secure Applications of Low-Entropy Keys (1997)',
  },
  /** A slow puzzle function in place of one hash: scrypt, which needs memory. */
  scrypt: {
    policy: { ...STRICT_POLICY, c1: 4, puzzle: SCRYPT },
    summary: `scrypt; a check takes ${formatEvaluationCost(SCRYPT)}`,
    weakness: null,
    reference: 'RFC 7914',
  },
  /** The repair of a slow puzzle on a fast ID: the ID itself is the output of scrypt. */
  'scrypt-id': {
    policy: { ...STRICT_POLICY, c1: 4, idRule: 'slow', puzzle: SCRYPT },
    summary: `IDs made by scrypt; a check takes ${formatEvaluationCost(SCRYPT)}, after all others`,
    weakness: null,
    reference: 'RFC 7914',
  },
  /** A slow puzzle function in place of one hash: Argon2id, which needs memory. */
  argon2id: {
    policy: { ...STRICT_POLICY, c1: 4, puzzle: ARGON2ID },
    summary: `Argon2id; a check takes ${formatEvaluationCost(ARGON2ID)}`,
    weakness: null,
    reference: 'RFC 9106',
  },
  /**
   * The rule of the Storj network for storage nodes. The ID of 32 zero bytes shows no work: NodeID.Difficulty
   * reports an error for it, and a key that has it takes 2^248 tests.
   */
  storj: {
    policy: { ...STRICT_POLICY, idRule: 'storj', c1: STORJ_DIFFICULTY_MIN },
    summary: `the Storj network: double SHA-256 of the SPKI, difficulty ${STORJ_DIFFICULTY_MIN}`,
    weakness: {
      flaw: 'the version byte counts: 36 bits are 28 bits of work',
      gain: 'an identity of difficulty c1',
      cost: `2^(c1 − ${VERSION_BITS}) keys; two admitted keys with one ID take 2^138.3, a key with the ID zero 2^248`,
      attempts: (policy) => keysForBits(policy, VERSION_BITS),
      refusedBy: 'nodeId',
    },
    reference: 'storj.io/common, packages storj and identity',
  },
  /**
   * The rule of the Yggdrasil network. Its nodes verify signatures with crypto/ed25519 of Go and check nothing else
   * of a key (ironwood, network/crypto.go), so that keys of small order, torsion siblings and encodings that are not
   * canonical pass. Go verifies without the cofactor and this policy with it. Claims of `usurp claim --small-order`
   * are valid under both.
   */
  yggdrasil: {
    policy: {
      ...STRICT_POLICY,
      idRule: 'yggdrasil',
      checks: checksWithout('encoding', 'smallOrder', 'torsion'),
    },
    summary: `the Yggdrasil network: the ID is the key of ${NODE_ID_BYTES} bytes, the smallest ID is root`,
    weakness: {
      flaw: 'only signatures are verified, and anyone signs for the smallest key of all: zero bytes, of order four',
      gain: 'the smallest ID, which is root',
      cost: 'no key, and four nonces on average for a signature; without that key, the longest search wins',
      attempts: () => 0,
      refusedBy: 'nodeId',
    },
    reference: 'yggdrasil-go, src/address; ironwood, network/crypto.go and network/router.go',
  },
} as const satisfies Readonly<Record<string, NamedPolicy>>;

export type PolicyName = keyof typeof LISTED;
export const NAMED_POLICIES: Readonly<Record<PolicyName, NamedPolicy>> = LISTED;
/** The keys of an object are strings to the compiler: hence the `as`. */
export const POLICY_NAMES = Object.keys(LISTED) as readonly PolicyName[];

/** The checks of the strict policy but for these. */
function checksWithout(...names: readonly CheckName[]): Policy['checks'] {
  return { ...STRICT_POLICY.checks, ...Object.fromEntries(names.map((name) => [name, false])) };
}

/** Keys to test for one that meets the static puzzle. `freeBits` of the difficulty cost no work. */
function keysForBits({ c1 }: Policy, freeBits = 0): number {
  return 2 ** Math.max(0, c1 - freeBits);
}

/**
 * Keys to test until two that meet the static puzzle have one ID of `bits` bits: the birthday bound √(π/2 · N) among
 * N = 2^(bits − c1) IDs, with 2^c1 tests for each key.
 */
function keysForPair({ c1 }: Policy, bits: number): number {
  return Math.sqrt((Math.PI / 2) * 2 ** (bits + c1));
}
