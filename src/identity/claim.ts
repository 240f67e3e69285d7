/**
 * @module
 * A claim is what a node presents to be admitted: its key, its node ID, the solution of the dynamic puzzle, and a
 * signature that proves that it owns the secret. The signed bytes begin with a domain of their own and contain
 * challenge, ID and solution, so that no other signature of the node can replace it. Parsing decides the form
 * only. admit.ts decides whether the claim is true.
 */

import { z } from 'zod';

import { bytesToHex, hexToBytes } from '../bytes.ts';
import { parseBySchema } from '../schema.ts';
import { ID_BITS_MIN, nodeIdOf } from './ids/node-id.ts';
import type { SchemeName, Secret } from './keys/scheme.ts';
import { SCHEME_NAMES, schemeOf } from './keys/scheme.ts';
import { SIGNATURE_BYTES } from './keys/signature-scheme.ts';
import { NONCE_BYTES, possessionMessage } from './message.ts';
import type { Policy } from './policy.ts';
import { challengeOf } from './puzzles/puzzle.ts';

export { NONCE_BYTES, possessionMessage } from './message.ts';

const ID_BYTES_MIN = ID_BITS_MIN / 8;
/** One more than the longest ID, so that the check of the ID refuses an ID with one byte too many. */
const ID_BYTES_MAX = 33;

export interface Claim {
  readonly scheme: SchemeName;
  readonly publicKey: Uint8Array;
  readonly nodeId: Uint8Array;
  /** X of the dynamic puzzle. Null if none is required. */
  readonly solution: Uint8Array | null;
  readonly signature: Uint8Array;
}

/**
 * The JSON form of a claim: bytes in lower-case hex. Lengths that some scheme has for some encoding of a key, and
 * lengths that some policy gives to IDs and solutions, are accepted under all schemes and policies, so that a
 * check with a name refuses them, not the parser.
 */
export const claimJsonSchema = z
  .strictObject({
    scheme: z.enum(SCHEME_NAMES, `must be one of ${SCHEME_NAMES.join(', ')}`).meta({
      description: 'Signature scheme of the key.',
      example: 'ed25519',
    }),
    publicKey: hexSchema(32, 33, 65).meta({
      description: 'The public key: 32 bytes for ed25519, 33 compressed for secp256k1.',
      example: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    }),
    nodeId: hexOfIdSchema().meta({
      description: 'SHA-256 of the public key, or what the ID rule of the policy makes of it.',
      example: '21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9',
    }),
    solution: hexOfIdSchema(', or null without a dynamic puzzle').nullable().meta({
      description:
        'X of the dynamic puzzle: 8 bytes for concat, else as long as the node ID. Null if none is required.',
      example: '0000000000000163',
    }),
    signature: hexSchema(SIGNATURE_BYTES).meta({
      description: 'Signature of the possession message: R‖S, or r‖s with low s.',
      example:
        '7c5e2b4be3690dd1c28fdabcc0cf566d693debf602d22c849481d38529705763' +
        '5e240470fe2b24751032aa06742d66ccd01d08cd176992391e83da9208b9140a',
    }),
  })
  .meta({
    id: 'Claim',
    description: 'What a node presents: its key, its node ID, its work, its signature.',
  });

export type ClaimJson = z.output<typeof claimJsonSchema>;

/** Parses the JSON form into bytes. */
export const claimSchema = z.codec(claimJsonSchema, z.custom<Claim>(), {
  decode: ({ scheme, publicKey, nodeId, solution, signature }) => ({
    scheme,
    publicKey: hexToBytes(publicKey),
    nodeId: hexToBytes(nodeId),
    solution: solution === null ? null : hexToBytes(solution),
    signature: hexToBytes(signature),
  }),
  encode: claimToJson,
});

/** Parses a claim. Throws LabError `schema` whose faults point into the claim (`/publicKey`). */
export function parseClaim(json: unknown): Claim {
  return parseBySchema(claimSchema, json, 'claim');
}

/** The JSON form of a claim, as `parseClaim` reads it. */
export function claimToJson(claim: Claim): ClaimJson {
  return {
    scheme: claim.scheme,
    publicKey: bytesToHex(claim.publicKey),
    nodeId: bytesToHex(claim.nodeId),
    solution: claim.solution === null ? null : bytesToHex(claim.solution),
    signature: bytesToHex(claim.signature),
  };
}

/** The hex form of a nonce. */
export const nonceSchema = hexSchema(NONCE_BYTES).meta({
  description: 'A nonce of the verifier, which the claim signs as well.',
  example: '5f'.repeat(NONCE_BYTES),
});

/**
 * Makes the claim of a secret under a policy, with a solution that was found before. It does not check whether the
 * policy admits the claim. Throws on an invalid secret, and LabError `arguments` if the ID rule makes no IDs of
 * keys of the scheme.
 */
export function createClaim({
  scheme,
  secret,
  publicKey = schemeOf(scheme).publicKeyOf(secret),
  policy,
  solution,
  nonce = null,
}: {
  readonly scheme: SchemeName;
  readonly secret: Secret;
  /** The key of the secret, if it is known. Signatures with another key reveal the secret. */
  readonly publicKey?: Uint8Array;
  readonly policy: Policy;
  readonly solution: Uint8Array | null;
  readonly nonce?: Uint8Array | null;
}): Claim {
  const nodeId = nodeIdOf(publicKey, policy);
  const challenge = challengeOf(policy);
  const message = possessionMessage({ challenge, nodeId, solution, nonce });
  const signature = schemeOf(scheme).sign(secret, message, publicKey);
  return { scheme, publicKey, nodeId, solution, signature };
}

/** Lower-case hex as long as the node IDs of some policy. The message ends with `other`. */
function hexOfIdSchema(other = ''): z.ZodString {
  const message = `must be lower-case hex of ${ID_BYTES_MIN} to ${ID_BYTES_MAX} bytes${other}`;
  const pattern = new RegExp(`^(?:[0-9a-f]{2}){${ID_BYTES_MIN},${ID_BYTES_MAX}}$`);
  return z.string(message).regex(pattern, message);
}

/** Lower-case hex with one of these numbers of bytes. */
function hexSchema(...lengths: readonly number[]): z.ZodString {
  const pattern = lengths.map((length) => `[0-9a-f]{${2 * length}}`).join('|');
  const list = lengths.join(', ').replace(/, (\d+)$/, ' or $1');
  const message = `must be lower-case hex of ${list} bytes`;
  return z.string(message).regex(new RegExp(`^(?:${pattern})$`), message);
}
