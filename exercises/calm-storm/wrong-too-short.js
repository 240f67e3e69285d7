import { flapping } from './flapping.js';

/** Returns before the others have elected another leader. */
export async function solve(client) {
  const { given } = await client.instance('calm-storm');
  const crashes = flapping(given, 1);
  return client.submit('calm-storm', { type: 'scenario', crashes, defences: ['incumbency'] });
}
