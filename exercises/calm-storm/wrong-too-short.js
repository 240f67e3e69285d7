import { flapping } from './flapping.js';

/** Returns before the others have elected another leader. */
export async function solve(client) {
  const { given } = await client.instance('calm-storm');
  const crashes = flapping(given, 1);
  const defences = ['incumbency', 'back-off'];
  return client.submit('calm-storm', { type: 'scenario', crashes, defences, changes: [0, 0] });
}
