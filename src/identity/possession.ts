/**
 * @module
 * The bytes that a claim signs, without the schemas of claims, so that a browser can load them alone.
 */

import { concatBytes, utf8ToBytes } from '../bytes.ts';

const CLAIM_DOMAIN = utf8ToBytes('usurp/claim/v1\0');
const FRESH_CLAIM_DOMAIN = utf8ToBytes('usurp/fresh-claim/v1\0');
/** Bytes of the nonce of a verifier. */
export const NONCE_BYTES = 32;

/**
 * The bytes whose signature proves possession:
 * "usurp/claim/v1" 0x00 ‖ challenge ‖ nodeId ‖ X, where X is empty without a solution. With the nonce of a verifier, the
 * claim proves possession at this moment and to this verifier: "usurp/fresh-claim/v1" 0x00 ‖ nonce ‖ challenge ‖ nodeId ‖
 * X. The nonce is no part of the puzzles, so that a node signs again without new work. Throws RangeError for a nonce that
 * has not 32 bytes.
 */
export function possessionMessage({
  challenge,
  nodeId,
  solution,
  nonce = null,
}: {
  readonly nodeId: Uint8Array;
  readonly solution: Uint8Array | null;
  readonly challenge: Uint8Array;
  readonly nonce?: Uint8Array | null | undefined;
}): Uint8Array {
  if (nonce !== null && nonce.length !== NONCE_BYTES) {
    throw new RangeError(`"nonce" expected ${NONCE_BYTES} bytes, got ${nonce.length}`);
  }
  const head = nonce === null ? [CLAIM_DOMAIN] : [FRESH_CLAIM_DOMAIN, nonce];
  return concatBytes(...head, challenge, nodeId, solution ?? new Uint8Array());
}
