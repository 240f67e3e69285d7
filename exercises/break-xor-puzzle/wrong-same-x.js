import { claimWith, goodY, xor } from './claims.js';

/** Uses the X of the first identity for all of them. */
export async function solve(client) {
  const instance = await client.instance('break-xor-puzzle');
  const y = goodY(instance);
  let solution = null;
  const claims = Array.from({ length: instance.given.identities }, () =>
    claimWith(instance, (nodeId) => {
      solution ??= xor(nodeId, y);
      return solution;
    }),
  );
  return client.submit('break-xor-puzzle', { type: 'claims', claims });
}
