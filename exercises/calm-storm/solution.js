import { flapping } from './flapping.js';

export async function solve(client) {
  const { given } = await client.instance('calm-storm');
  const crashes = flapping(given, 35);
  return client.submit('calm-storm', { type: 'scenario', crashes, defences: ['incumbency'] });
}
