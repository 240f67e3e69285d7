import { mine } from './mining.js';

export async function solve(client) {
  const instance = await client.instance('mine-claim');
  return client.submit('mine-claim', { type: 'claim', claim: mine(instance) });
}
