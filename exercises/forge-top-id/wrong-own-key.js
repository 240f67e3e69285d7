import { cheapest, forged, submit } from './forging.js';

/** Forges the top ID under the default policy of the server, where it is not metered. */
export async function solve(client) {
  const { given } = await client.instance('forge-top-id');
  const { nodeIds } = cheapest(given.networks);
  return submit(client, await forged(client, { c1: 4, goal: 'top', against: nodeIds }));
}
