import { claimsWith } from './claims.js';

/** Takes the positions after the key on a ring, as if the network were Chord. */
export async function solve(client) {
  const instance = await client.instance('eclipse-key');
  const { key, nodeIds } = instance.given;
  const sorted = nodeIds.toSorted();
  const next = sorted.find((id) => id > key);
  // After the highest ID the ring goes on with the lowest.
  const isBetween = (id) =>
    next === undefined ? id > key || id < sorted[0] : id > key && id < next;
  const claims = claimsWith(instance, isBetween);
  return client.submit('eclipse-key', { type: 'claims', claims });
}
