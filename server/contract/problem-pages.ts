/**
 * @module
 * What `GET /problems/{code}` explains: the codes of refused requests, and those of refused claims,
 * which come as `checks[].code` in the answer to a question.
 */

import type { ErrorCode } from '../../src/errors.ts';
import { ERROR_CODES, LabError } from '../../src/errors.ts';
import type { RefusalCode } from '../../src/identity/admit.ts';
import { REFUSAL_CODES } from '../../src/identity/admit.ts';
import { kindOf } from './problem.ts';

export interface ProblemPage {
  readonly type: string;
  readonly code: ErrorCode | RefusalCode;
  readonly status: number;
  readonly title: string;
  readonly remedy: string;
}

/** The page of a code; throws LabError `not_found` for any other text. */
export function problemPage(text: string): ProblemPage {
  const error = ERROR_CODES.find((code) => code === text);
  if (error !== undefined) return { type: `/problems/${error}`, code: error, ...kindOf(error) };
  const refusal = REFUSAL_CODES.find((code) => code === text);
  if (refusal === undefined) throw new LabError('not_found', 'there is no such error code');
  return { type: `/problems/${refusal}`, code: refusal, status: 422, ...CLAIM_REFUSALS[refusal] };
}

const CLAIM_REFUSALS: Readonly<
  Record<RefusalCode, { readonly title: string; readonly remedy: string }>
> = {
  'id.mismatch': {
    title: 'Node ID is not the hash of the key',
    remedy: 'The node ID is SHA-256 of the public key bytes: 32 for Ed25519, 33 for secp256k1.',
  },
  'pow.insufficient': {
    title: 'Too little work',
    remedy: 'The check says how many zero bits are required and how many there are: mine on.',
  },
  'key.encoding': {
    title: 'Key not spelt in the one canonical way',
    remedy: 'Ed25519: RFC 8032 with y below p. secp256k1: compressed, 33 bytes, prefix 02 or 03.',
  },
  'key.small_order': {
    title: 'Key of small order',
    remedy: 'Anybody can sign for such a key; make one from a secret.',
  },
  'key.not_torsion_free': {
    title: 'Key with a torsion component',
    remedy: 'One secret would have eight such keys; only the one in the prime-order group counts.',
  },
  'signature.invalid': {
    title: 'Possession not proved',
    remedy: 'Sign "usurp/claim/v1" 0x00, challenge, node ID and X with the key; s must be low.',
  },
};
