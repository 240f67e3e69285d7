import { cheapest, forged, submit } from './forging.js';

export async function solve(client) {
  const { given, policy } = await client.instance('forge-top-id');
  const { c1, nodeIds } = cheapest(given.networks);
  const forgery = { policy: { ...policy, c1 }, goal: 'top', against: nodeIds };
  return submit(client, await forged(client, forgery));
}
