/**
 * @module
 * The list of the policies that have a name: a sound one, those with a flaw that is worth an attack, and the rules of two
 * real networks.
 */

import { argon2idPolicy } from './policies/argon2id.ts';
import { iteratedPolicy } from './policies/iterated.ts';
import type { NamedPolicy } from './policies/named-policy.ts';
import { saltedPolicy } from './policies/salted.ts';
import { scryptPolicy } from './policies/scrypt.ts';
import { scryptIdPolicy } from './policies/scrypt-id.ts';
import { sha1Policy } from './policies/sha1.ts';
import { smallOrderPolicy } from './policies/small-order.ts';
import { storjPolicy } from './policies/storj.ts';
import { strictPolicy } from './policies/strict.ts';
import { torsionPolicy } from './policies/torsion.ts';
import { truncatedIdPolicy } from './policies/truncated-id.ts';
import { unhashedXorPolicy } from './policies/unhashed-xor.ts';
import { versionBytePolicy } from './policies/version-byte.ts';
import { xorDynamicPolicy } from './policies/xor-dynamic.ts';
import { yggdrasilPolicy } from './policies/yggdrasil.ts';

/** The sound default first. */
const LISTED = {
  strict: strictPolicy,
  'xor-dynamic': xorDynamicPolicy,
  'unhashed-xor': unhashedXorPolicy,
  'version-byte': versionBytePolicy,
  'truncated-id': truncatedIdPolicy,
  'small-order': smallOrderPolicy,
  torsion: torsionPolicy,
  sha1: sha1Policy,
  salted: saltedPolicy,
  iterated: iteratedPolicy,
  scrypt: scryptPolicy,
  'scrypt-id': scryptIdPolicy,
  argon2id: argon2idPolicy,
  storj: storjPolicy,
  yggdrasil: yggdrasilPolicy,
} as const;

export type PolicyName = keyof typeof LISTED;
export const NAMED_POLICIES: Readonly<Record<PolicyName, NamedPolicy>> = LISTED;
/** The keys of an object are strings to the compiler: hence the `as`. */
export const POLICY_NAMES = Object.keys(LISTED) as readonly PolicyName[];
