import { newScalar, siblingClaim, TORSION } from './siblings.js';

/** Makes eight keys of their own. */
export async function solve(client) {
  const instance = await client.instance('eight-siblings');
  const claims = TORSION.map(() => siblingClaim(instance, newScalar(), { torsion: TORSION[0] }));
  return client.submit('eight-siblings', { type: 'claims', claims });
}
