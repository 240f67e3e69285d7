/**
 * @module
 * The argument `--nonce`: bytes of a verifier that a claim signs, so that it proves possession now.
 */

import { InvalidArgumentError } from 'commander';
import { hexToBytes } from '../../bytes.ts';
import { NONCE_BYTES } from '../../identity/claim.ts';

/** Reads a nonce. Throws InvalidArgumentError. */
export function nonceOf(text: string): Uint8Array {
  if (text.length === 2 * NONCE_BYTES && /^[0-9a-f]*$/.test(text)) return hexToBytes(text);
  throw new InvalidArgumentError(`expected ${NONCE_BYTES} bytes in lower-case hex`);
}
