import { claimWith, goodY, xor } from './claims.js';

export async function solve(client) {
  const instance = await client.instance('break-xor-puzzle');
  const y = goodY(instance);
  const claims = Array.from({ length: instance.given.identities }, () =>
    claimWith(instance, (nodeId) => xor(nodeId, y)),
  );
  return client.submit('break-xor-puzzle', { type: 'claims', claims });
}
