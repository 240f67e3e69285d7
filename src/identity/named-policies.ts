/**
 * @module
 * Policies by name: a sound one, those with a flaw that is worth breaking, and the rules of two real
 * networks. Each says what it demands, what is wrong with it and where that comes from. Difficulties
 * are small enough to be met on a laptop, except where they are a network's own.
 */

import { NODE_ID_BYTES } from './ids/node-id.ts';
import { STORJ_DIFFICULTY_MIN } from './ids/storj.ts';
import type { CheckName, Policy } from './policy.ts';
import { STRICT_POLICY } from './policy.ts';

/** Every name, the sound default first. */
export const POLICY_NAMES = [
  'strict',
  'xor-dynamic',
  'unhashed-xor',
  'version-byte',
  'truncated-id',
  'small-order',
  'torsion',
  'sha1',
  'salted',
  'iterated',
  'scrypt',
  'argon2id',
  'storj',
  'yggdrasil',
] as const;

export type PolicyName = (typeof POLICY_NAMES)[number];

export interface NamedPolicy {
  readonly policy: Policy;
  /** What it demands, in one line. */
  readonly summary: string;
  /** What an adversary makes of it; null for a sound one. */
  readonly flaw: string | null;
  readonly reference: string;
}

const S_KADEMLIA = 'Baumgart and Mies, S/Kademlia (2007), section 4.1';

export const NAMED_POLICIES: Readonly<Record<PolicyName, NamedPolicy>> = {
  strict: {
    policy: STRICT_POLICY,
    summary: 'every check on, no work until --c1 and --c2 ask for it',
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
    summary: 'the dynamic puzzle with its hash forgotten: nodeId ⊕ X',
    flaw: 'X = nodeId leaves zeros alone and solves any difficulty for nothing',
    reference: `a mistaken reading of ${S_KADEMLIA}, found in published code`,
  },
  'version-byte': {
    policy: { ...STRICT_POLICY, idRule: 'storj', c1: 24 },
    summary: 'trailing zero bits of the ID, a constant version byte counted among them',
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
    summary: 'keys are not checked at all, as lenient verifiers leave it',
    flaw: 'fourteen keys of small order are IDs that anybody signs for without a secret',
    reference: 'RFC 8032, section 5.1.7; Chalkias et al., Taming the Many EdDSAs (2020)',
  },
  torsion: {
    policy: { ...STRICT_POLICY, c1: 12, checks: without('torsion') },
    summary: 'keys outside the subgroup of prime order pass',
    flaw: 'one secret signs for eight keys A + T, so it has eight IDs',
    reference: 'Chalkias et al., Taming the Many EdDSAs (2020); RFC 7748, section 7',
  },
  sha1: {
    policy: { ...STRICT_POLICY, hash: 'sha1', c1: 12 },
    summary: 'S/Kademlia with SHA-1 and 160-bit IDs, as first published',
    flaw: 'SHA-1 is broken (chosen-prefix collisions in 2^63), and two of 160 bits collide in 2^80',
    reference: `${S_KADEMLIA}; Leurent and Peyrin, SHA-1 is a Shambles (2020)`,
  },
  salted: {
    policy: { ...STRICT_POLICY, c1: 12, salted: true },
    summary: 'the static puzzle is bound to the epoch, the rank is not',
    flaw: 'keys are stockpiled before the epoch opens and solved from the highest ID down',
    reference: 'SHA-256(challenge ‖ nodeId); compare a beacon in the rank key',
  },
  iterated: {
    policy: { ...STRICT_POLICY, c1: 8, puzzle: { function: 'iterated', iterations: 1000 } },
    summary: 'the hash a thousand times over',
    flaw: null,
    reference: 'Kelsey et al., Secure Applications of Low-Entropy Keys (1997)',
  },
  scrypt: {
    policy: { ...STRICT_POLICY, c1: 4, puzzle: { function: 'scrypt', logN: 10, r: 8, p: 1 } },
    summary: 'scrypt with 1 MiB',
    flaw: null,
    reference: 'RFC 7914',
  },
  argon2id: {
    policy: {
      ...STRICT_POLICY,
      c1: 4,
      puzzle: { function: 'argon2id', passes: 1, kib: 1024, lanes: 1 },
    },
    summary: 'Argon2id with 1 MiB',
    flaw: null,
    reference: 'RFC 9106',
  },
  storj: {
    policy: { ...STRICT_POLICY, idRule: 'storj', c1: STORJ_DIFFICULTY_MIN },
    summary: `the Storj network: double SHA-256 of the SPKI, difficulty ${STORJ_DIFFICULTY_MIN}`,
    flaw: 'the version byte is counted: 36 are 28 bits of work',
    reference: 'storj.io/common, packages storj and identity',
  },
  yggdrasil: {
    policy: { ...STRICT_POLICY, idRule: 'yggdrasil' },
    summary: `the Yggdrasil network: the ID is the key of ${NODE_ID_BYTES} bytes, the smallest is root`,
    flaw: 'keys are ranked unhashed and unsalted: the root goes to whoever grinds the longest',
    reference: 'yggdrasil-go, src/address; ironwood, network',
  },
};

function without(...names: readonly CheckName[]): Policy['checks'] {
  const checks = { ...STRICT_POLICY.checks };
  for (const name of names) checks[name] = false;
  return checks;
}
