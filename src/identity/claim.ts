/**
 * @module
 * What a node presents to be let in: its key, its node ID, the solution of the dynamic puzzle and a
 * signature that proves possession of the secret. The signed bytes begin with a domain of their own
 * and name challenge, ID and solution, so that no other signature of the node can stand for it.
 * Reading a claim settles form alone; whether it is true is decided in admit.ts.
 */

import { z } from 'zod';

import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '../bytes.ts';
import { parseBySchema } from './faults.ts';
import { ID_BITS_MIN, nodeIdOf } from './ids/node-id.ts';
import { SIGNATURE_BYTES } from './keys/contract.ts';
import type { SchemeName } from './keys/scheme.ts';
import { SCHEME_NAMES, schemeOf } from './keys/scheme.ts';
import type { Secret } from './keys/secret.ts';
import type { Policy } from './policy.ts';
import { challengeOf } from './puzzles/puzzle.ts';

const CLAIM_DOMAIN = utf8ToBytes('usurp/claim/v1\0');
const ID_BYTES_MIN = ID_BITS_MIN / 8;
/** One more than the longest ID, so that an ID of one byte too many is refused by its check. */
const ID_BYTES_MAX = 33;

export interface Claim {
  readonly scheme: SchemeName;
  readonly publicKey: Uint8Array;
  readonly nodeId: Uint8Array;
  /** X of the dynamic puzzle; null where none is asked for. */
  readonly solution: Uint8Array | null;
  readonly signature: Uint8Array;
}

export interface Possession {
  readonly challenge: Uint8Array;
  readonly nodeId: Uint8Array;
  readonly solution: Uint8Array | null;
}

export interface ClaimParts {
  readonly scheme: SchemeName;
  readonly secret: Secret;
  /** Epoch and context make the challenge that is signed, the ID rule the node ID. */
  readonly policy: Policy;
  readonly solution: Uint8Array | null;
}

/**
 * The JSON form of a claim: bytes in lower-case hex and no other spelling. Every length that one of
 * the schemes has for some encoding of a key is let through under both schemes, and every length that
 * a policy can give node IDs and solutions, so that what is wrong is refused by the check that names
 * it and not as a malformed document.
 */
export const claimSchema = z
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
      description: 'SHA-256 of the public key, or what the policy makes of the key.',
      example: '21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9',
    }),
    solution: hexOfIdSchema().nullable().meta({
      description: 'X of the dynamic puzzle: 8 bytes for concat, else as a node ID; null without.',
      example: '0000000000000163',
    }),
    signature: hexSchema(SIGNATURE_BYTES).meta({
      description: 'Signature over the possession message: R‖S, or r‖s with low s.',
      example:
        '7c5e2b4be3690dd1c28fdabcc0cf566d693debf602d22c849481d38529705763' +
        '5e240470fe2b24751032aa06742d66ccd01d08cd176992391e83da9208b9140a',
    }),
  })
  .meta({ description: 'What a node presents: a key, its node ID, its work, its signature.' });

export type ClaimJson = z.output<typeof claimSchema>;

/** Reads a claim; throws LabError `schema` whose faults point into the claim (`/publicKey`). */
export function parseClaim(json: unknown): Claim {
  const { scheme, publicKey, nodeId, solution, signature } = parseBySchema(
    claimSchema,
    json,
    'claim',
  );
  return {
    scheme,
    publicKey: hexToBytes(publicKey),
    nodeId: hexToBytes(nodeId),
    solution: solution === null ? null : hexToBytes(solution),
    signature: hexToBytes(signature),
  };
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

/**
 * The bytes whose signature proves possession:
 * "usurp/claim/v1" 0x00 ‖ challenge ‖ nodeId ‖ X, with X empty where there is no solution.
 */
export function possessionMessage({ challenge, nodeId, solution }: Possession): Uint8Array {
  return concatBytes(CLAIM_DOMAIN, challenge, nodeId, solution ?? new Uint8Array());
}

/**
 * Makes the claim of a secret under a policy, with a solution found before. Whether it is admitted
 * is not asked here. Throws on a secret that the scheme's `isSecret` refuses, and LabError `arguments`
 * where the ID rule takes no keys of the scheme.
 */
export function createClaim({ scheme, secret, policy, solution }: ClaimParts): Claim {
  const signer = schemeOf(scheme);
  const publicKey = signer.publicKeyOf(secret);
  const nodeId = nodeIdOf(publicKey, policy);
  const challenge = challengeOf(policy);
  const signature = signer.sign(secret, possessionMessage({ challenge, nodeId, solution }));
  return { scheme, publicKey, nodeId, solution, signature };
}

/** Lower-case hex as long as the node IDs of some policy. */
function hexOfIdSchema(): z.ZodString {
  const assertThat = `must be lower-case hex of ${ID_BYTES_MIN} to ${ID_BYTES_MAX} bytes`;
  const pattern = new RegExp(`^(?:[0-9a-f]{2}){${ID_BYTES_MIN},${ID_BYTES_MAX}}$`);
  return z.string(assertThat).regex(pattern, assertThat);
}

/** Lower-case hex of one of some numbers of bytes. */
function hexSchema(...lengths: readonly number[]): z.ZodString {
  const pattern = lengths.map((length) => `[0-9a-f]{${2 * length}}`).join('|');
  const list = lengths.join(', ').replace(/, (\d+)$/, ' or $1');
  const assertThat = `must be lower-case hex of ${list} bytes`;
  return z.string(assertThat).regex(new RegExp(`^(?:${pattern})$`), assertThat);
}
