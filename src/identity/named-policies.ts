/**
 * @module
 * Policies by name: a sound one, those with a flaw that is worth an attack, and the rules of two real networks.
 * Difficulties are small enough for a laptop, except where they are those of a network.
 */

import { NODE_ID_BYTES } from './ids/node-id.ts';
import { STORJ_DIFFICULTY_MIN } from './ids/storj.ts';
import type { CheckName, Policy } from './policy.ts';
import { STRICT_POLICY } from './policy.ts';
import { S_KADEMLIA } from './puzzles/puzzle.ts';
import { formatEvaluationCost } from './puzzles/puzzle-function.ts';

export interface NamedPolicy {
  readonly policy: Policy;
  /** What it requires, in one line. */
  readonly summary: string;
  /** How an adversary profits from it. Null for a sound policy. */
  readonly flaw: string | null;
  readonly reference: string;
}

const ITERATED = { function: 'iterated', iterations: 1000 } as const;
const SCRYPT = { function: 'scrypt', logN: 10, r: 8, p: 1 } as const;
const ARGON2ID = { function: 'argon2id', passes: 1, kib: 1024, lanes: 1 } as const;

/** The sound default first. */
const LISTED = {
  strict: {
    policy: STRICT_POLICY,
    summary: 'all checks, and the work of --c1 and --c2',
    flaw: null,
    reference: `${S_KADEMLIA}, with SHA-256; RFC 8032, section 5.1.7`,
  },
  'xor-dynamic': {
    policy: { ...STRICT_POLICY, c1: 8, c2: 20, dynamic: 'xor' },
    summary: 'the dynamic puzzle as published: SHA-256(nodeId ⊕ X)',
    flaw: 'one Y with a good SHA-256(Y) solves it for every ID as X = nodeId ⊕ Y',
    reference: S_KADEMLIA,
  },
  'unhashed-xor': {
    policy: { ...STRICT_POLICY, c1: 8, c2: 64, dynamic: 'unhashed' },
    summary: 'the dynamic puzzle without its hash: nodeId ⊕ X',
    flaw: 'X = nodeId leaves only zeros, so any difficulty costs nothing',
    reference: `a mistaken reading of ${S_KADEMLIA}, found in published code`,
  },
  'version-byte': {
    policy: { ...STRICT_POLICY, idRule: 'storj', c1: 24 },
    summary: 'trailing zero bits of the ID, including a constant version byte',
    flaw: 'eight of the bits are a constant: 24 cost 16 bits of work',
    reference: 'storj.io/common, package storj, NodeID.Difficulty',
  },
  'truncated-id': {
    policy: { ...STRICT_POLICY, idBits: 32, c1: 8 },
    summary: 'node IDs cut to 32 bits',
    flaw: 'a key with a given ID takes 2^32 tests, two keys with one ID about 2^16',
    reference: 'the birthday bound; RFC 4270, section 2',
  },
  'small-order': {
    policy: { ...STRICT_POLICY, checks: without('encoding', 'smallOrder', 'torsion') },
    summary: 'keys are not checked, as in lenient verifiers',
    flaw: 'anyone signs without a secret for the fourteen keys of small order',
    reference: 'RFC 8032, section 5.1.7; Chalkias et al., Taming the Many EdDSAs (2020)',
  },
  torsion: {
    policy: { ...STRICT_POLICY, c1: 12, checks: without('torsion') },
    summary: 'keys outside the subgroup of prime order are accepted',
    flaw: 'one secret signs for eight keys A + T, so it has eight IDs',
    reference: 'Chalkias et al., Taming the Many EdDSAs (2020); RFC 7748, section 7',
  },
  sha1: {
    policy: { ...STRICT_POLICY, hash: 'sha1', c1: 12 },
    summary: 'S/Kademlia with SHA-1 and 160-bit IDs, as first published',
    flaw: 'SHA-1 is broken (chosen-prefix collisions in 2^63), and two IDs of 160 bits collide after 2^80',
    reference: `${S_KADEMLIA}; Leurent and Peyrin, SHA-1 is a Shambles (2020)`,
  },
  salted: {
    policy: { ...STRICT_POLICY, c1: 12, salted: true },
    summary: 'the static puzzle is bound to the epoch, but the rank is not',
    flaw: 'keys are stockpiled before the epoch opens and tested from the highest ID down',
    reference: 'SHA-256(challenge ‖ nodeId); compare a beacon in the rank key',
  },
  iterated: {
    policy: { ...STRICT_POLICY, c1: 8, puzzle: ITERATED },
    summary: `the hash, iterated a thousand times; a check takes ${formatEvaluationCost(ITERATED)}`,
    flaw: null,
    reference: 'Kelsey et al., Secure Applications of Low-Entropy Keys (1997)',
  },
  scrypt: {
    policy: { ...STRICT_POLICY, c1: 4, puzzle: SCRYPT },
    summary: `scrypt; a check takes ${formatEvaluationCost(SCRYPT)}`,
    flaw: null,
    reference: 'RFC 7914',
  },
  argon2id: {
    policy: { ...STRICT_POLICY, c1: 4, puzzle: ARGON2ID },
    summary: `Argon2id; a check takes ${formatEvaluationCost(ARGON2ID)}`,
    flaw: null,
    reference: 'RFC 9106',
  },
  storj: {
    policy: { ...STRICT_POLICY, idRule: 'storj', c1: STORJ_DIFFICULTY_MIN },
    summary: `the Storj network: double SHA-256 of the SPKI, difficulty ${STORJ_DIFFICULTY_MIN}`,
    flaw: 'the version byte counts: 36 bits are 28 bits of work',
    reference: 'storj.io/common, packages storj and identity',
  },
  yggdrasil: {
    policy: { ...STRICT_POLICY, idRule: 'yggdrasil' },
    summary: `the Yggdrasil network: the ID is the key of ${NODE_ID_BYTES} bytes, the smallest ID is root`,
    flaw: 'keys are ranked without hash and salt: the longest search for a key wins the root',
    reference: 'yggdrasil-go, src/address; ironwood, network',
  },
} satisfies Record<string, NamedPolicy>;

export type PolicyName = keyof typeof LISTED;
export const NAMED_POLICIES: Readonly<Record<PolicyName, NamedPolicy>> = LISTED;
/** The keys of an object are strings to the compiler: hence the `as`. */
export const POLICY_NAMES = Object.keys(LISTED) as readonly PolicyName[];

function without(...names: readonly CheckName[]): Policy['checks'] {
  return { ...STRICT_POLICY.checks, ...Object.fromEntries(names.map((name) => [name, false])) };
}
