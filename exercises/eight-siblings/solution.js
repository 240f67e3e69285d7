import { givenScalar, siblingClaim, TORSION } from './siblings.js';

export async function solve(client) {
  const instance = await client.instance('eight-siblings');
  const scalar = givenScalar(instance);
  const claims = TORSION.map((torsion) => siblingClaim(instance, scalar, { torsion }));
  return client.submit('eight-siblings', { type: 'claims', claims });
}
