import { flapping } from './flapping.js';

/** Refuses newcomers, but the highest node is a member. */
export async function solve(client) {
  const { given } = await client.instance('calm-storm');
  const crashes = flapping(given, 35);
  const defences = ['frozen-membership'];
  return client.submit('calm-storm', { type: 'scenario', crashes, defences });
}
