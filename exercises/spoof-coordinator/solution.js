import { attack, begin } from './attack.js';

export async function solve(client) {
  const { elections } = await begin(client);
  for (const path of Object.values(elections)) await attack(client, path, (nodes) => nodes);
  return client.submit('spoof-coordinator', { type: 'elections' });
}
