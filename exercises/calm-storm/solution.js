import { changesWith, flapping } from './flapping.js';

export async function solve(client) {
  const { given } = await client.instance('calm-storm');
  const crashes = flapping(given, 35);
  const defences = ['incumbency', 'back-off'];
  const changes = [];
  for (const defence of defences) {
    changes.push(await changesWith(client, { given, crashes, defence }));
  }
  return client.submit('calm-storm', { type: 'scenario', crashes, defences, changes });
}
