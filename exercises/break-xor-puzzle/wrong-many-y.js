import { claimWith, goodY, xor } from './claims.js';

/** Searches again for each identity, as an honest node does. */
export async function solve(client) {
  const instance = await client.instance('break-xor-puzzle');
  const { identities } = instance.given;
  const [one, other] = [goodY(instance), goodY(instance, 1n << 32n)];
  const claims = Array.from({ length: identities }, (_, index) =>
    claimWith(instance, (nodeId) => xor(nodeId, index === 0 ? other : one)),
  );
  return client.submit('break-xor-puzzle', { type: 'claims', claims });
}
