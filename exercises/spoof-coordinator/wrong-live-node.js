import { attack, begin } from './attack.js';

/** Announces a live node, which is the leader already. */
export async function solve(client) {
  const { elections } = await begin(client);
  for (const path of Object.values(elections)) await attack(client, path, (nodes) => nodes - 1);
  return client.submit('spoof-coordinator', { type: 'elections' });
}
