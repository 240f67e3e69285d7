import { flapping } from './flapping.js';

/** Refuses newcomers, but the highest node is a member. The numbers are a guess. */
export async function solve(client) {
  const { given } = await client.instance('calm-storm');
  const crashes = flapping(given, 35);
  const defences = ['incumbency', 'frozen-membership'];
  return client.submit('calm-storm', { type: 'scenario', crashes, defences, changes: [1, 2] });
}
