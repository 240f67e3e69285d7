/**
 * @module
 * `usurp/identity`: who a node is. Bytes are lower-case hex, as over HTTP.
 */

import { bytesToHex, hexToBytes } from '../bytes.ts';
import { admit } from '../identity/admit.ts';
import { claimToJson, createClaim, parseClaim } from '../identity/claim.ts';
import { nodeIdOf as nodeIdBytes } from '../identity/ids/node-id.ts';
import { schemeOf } from '../identity/keys/scheme.ts';
import { messageBytes } from '../identity/message.ts';
import type { PolicyName } from '../identity/named-policies.ts';
import { NAMED_POLICIES, POLICY_NAMES } from '../identity/named-policies.ts';
import type { Policy as ReadPolicy } from '../identity/policy.ts';
import { parsePolicy } from '../identity/policy.ts';

/** The names of the policies that usurp knows, from `strict` to those of the museum. */
export const policyNames: readonly string[] = POLICY_NAMES;

/**
 * What a network demands of a claim: the name of a policy, or its members. A member that is left out is that of `strict`.
 * Source of both puzzles: Baumgart and Mies, S/Kademlia (2007), section 4.1.
 */
export type Policy =
  | string
  | {
      /** Zero bits of the static puzzle, 0..256: SHA-256(nodeId) begins with them. */
      readonly c1?: number;
      /** Zero bits of the dynamic puzzle, 0..256. */
      readonly c2?: number;
      /** Form of the dynamic puzzle: SHA-256(challenge ‖ nodeId ‖ X), or SHA-256(nodeId ⊕ X) as it was published. */
      readonly dynamic?: 'concat' | 'xor';
      /** Number of the epoch in the challenge, below 2^53. */
      readonly epoch?: number;
      /** Name of the network in the challenge: at most 256 printable ASCII characters. */
      readonly context?: string;
      /** Whether the static puzzle is bound to the challenge. */
      readonly salted?: boolean;
      /** The other members, as docs/bytes.md describes them: idRule, hash, idBits, puzzle, checks, lowS. */
      readonly [member: string]: unknown;
    };

/** What a node presents. Bytes are lower-case hex. */
export interface Claim {
  readonly scheme: 'ed25519' | 'secp256k1';
  /** 32 bytes of Ed25519, 33 compressed ones of secp256k1. */
  readonly publicKey: string;
  /** The hash of the public key: 32 bytes, unless the policy cuts it. */
  readonly nodeId: string;
  /** X of the dynamic puzzle: 8 bytes, or 32 in the form `xor`. Null without a dynamic puzzle. */
  readonly solution: string | null;
  /** 64 bytes: the proof that the node has the private key. */
  readonly signature: string;
}

/** A private key. `hex` is secret. */
export interface PrivateKey {
  /** `seed`: 32 bytes (RFC 8032; secp256k1: the scalar). The others are scalars of keys that no seed has. */
  readonly form: 'seed' | 'scalar' | 'torsion-scalar';
  readonly hex: string;
}

/** Whether a network admits a claim, and why not. */
export interface Verdict {
  readonly admitted: boolean;
  /** Code of the first check that failed, such as `pow.insufficient`. Null if the claim is admitted. */
  readonly refusal: string | null;
  /** The checks that were made, the cheap ones first, until the first failure. */
  readonly checks: readonly {
    readonly check: string;
    readonly ok: boolean;
    /** What is wrong, in words. */
    readonly detail?: string;
    /** The zero bits that a puzzle requires. */
    readonly requiredBits?: number;
    readonly measuredBits?: number;
  }[];
}

/**
 * Checks a claim under a policy. A claim never causes an exception unless it has not the form of one: then a Refusal with
 * the code `schema` is thrown, as for a policy that is none. `nonce` is that of a verifier, 32 bytes in hex.
 */
export function verify(claim: Claim, policy: Policy = 'strict', nonce?: string): Verdict {
  return admit(parseClaim(claim), policyOf(policy), nonce ? { nonce: hexToBytes(nonce) } : {});
}

/** The node ID of a public key under a policy, in hex. Throws a Refusal. */
export function nodeIdOf(publicKey: string, policy: Policy = 'strict'): string {
  return bytesToHex(nodeIdBytes(hexToBytes(publicKey), policyOf(policy)));
}

/**
 * Makes the claim of a private key, for example for another epoch of the policy. `solution` is X of the dynamic puzzle. The
 * claim is not checked. Throws a Refusal, or RangeError for bytes that are no key.
 */
export function claimOf(
  key: PrivateKey & Pick<Claim, 'scheme'>,
  policy: Policy = 'strict',
  { solution = null, nonce }: { readonly solution?: string | null; readonly nonce?: string } = {},
): Claim {
  const { scheme, form, hex } = key;
  const claim = createClaim({
    scheme,
    secret: { form, bytes: hexToBytes(hex) },
    policy: policyOf(policy),
    solution: solution === null ? null : hexToBytes(solution),
    nonce: nonce === undefined ? null : hexToBytes(nonce),
  });
  return claimToJson(claim);
}

/**
 * Signs JSON data: 64 bytes in hex. docs/bytes.md has the bytes that are signed. Throws TypeError for data without such bytes, such
 * as fractions.
 */
export function sign(
  key: PrivateKey & Pick<Claim, 'scheme' | 'publicKey'>,
  // A JSON value.
  message: Parameters<typeof messageBytes>[0],
): string {
  const secret = { form: key.form, bytes: hexToBytes(key.hex) };
  const { scheme, publicKey } = key;
  return bytesToHex(schemeOf(scheme).sign(secret, messageBytes(message), hexToBytes(publicKey)));
}

function policyOf(policy: Policy): ReadPolicy {
  if (typeof policy !== 'string') return parsePolicy(policy);
  if (!POLICY_NAMES.some((name) => name === policy)) {
    return parsePolicy({ policy: `must be of ${POLICY_NAMES.join(', ')}` });
  }
  // The test above lets only names of policies pass.
  return NAMED_POLICIES[policy as PolicyName].policy;
}
