import { cheapest, forged, submit } from './forging.js';

/** Mines an ID that the network admits, without a goal. */
export async function solve(client) {
  const { given, policy } = await client.instance('forge-top-id');
  const { c1 } = cheapest(given.networks);
  return submit(client, await forged(client, { policy: { ...policy, c1 }, attempts: 20_000 }));
}
