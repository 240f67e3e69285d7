import { ed25519 } from '@noble/curves/ed25519.js';
import { givenScalar, siblingClaim, TORSION } from './siblings.js';

/** Hashes the key A for every sibling A + T. */
export async function solve(client) {
  const instance = await client.instance('eight-siblings');
  const scalar = givenScalar(instance);
  const challengeKey = ed25519.Point.BASE.multiply(scalar).toBytes();
  const claims = TORSION.toReversed().map((torsion) =>
    siblingClaim(instance, scalar, { torsion, challengeKey }),
  );
  return client.submit('eight-siblings', { type: 'claims', claims });
}
