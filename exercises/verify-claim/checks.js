/** The checks of a claim, as the statement lists them. */

import { createPublicKey, verify } from 'node:crypto';
import { fromHex, sha256, zeroBits } from '../client.js';

/** The first check that fails. */
export function firstFailure(claim, { policy, challenge }) {
  const [key, nodeId, solution] = [claim.publicKey, claim.nodeId, claim.solution].map(fromHex);
  if (!sha256(key).equals(nodeId)) return { check: 'nodeId', measuredBits: null };
  const bits = zeroBits(sha256(nodeId));
  if (bits < policy.c1) return { check: 'static', measuredBits: bits };
  const solved = zeroBits(sha256(fromHex(challenge), nodeId, solution));
  if (solved < policy.c2) return { check: 'dynamic', measuredBits: solved };
  const text = Buffer.concat([
    Buffer.from('usurp/claim/v1\0'),
    ...[fromHex(challenge), nodeId, solution],
  ]);
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') };
  const isSigned = verify(
    null,
    text,
    createPublicKey({ key: jwk, format: 'jwk' }),
    fromHex(claim.signature),
  );
  return { check: isSigned ? 'none' : 'signature', measuredBits: null };
}
